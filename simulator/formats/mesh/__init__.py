"""Mesh files: STL, OBJ, PLY, glTF and DAE.

Purpose: triangles in metres, z up, whatever the file's own units and axes are, and what they look like.
Takes: the path of a mesh file with scale and submesh, or a `Mesh` shape of the model.
Gives: `TriangleMesh`: float64 vertices (n, 3), int32 triangles (m, 3), colours, textures and their places.
May import: model, spatial, errors, numpy, trimesh.
Start at: loader.py
"""
