"""Documents and meshes become model values.

Purpose: read SDFormat documents and mesh files; the only room that knows XML and mesh formats.
Takes: paths of documents and meshes, folders in which URIs are looked up.
Gives: `read_document`, `describe_document`, `load_mesh`, `mesh_of`; every fault as a diagnostic, never as an exception.
May import: model, spatial, diagnostics, collector, errors, lxml, trimesh, xacro, yaml.
Start at: document.py
"""
