"""From a world and the poses of its links to pixels.

Purpose: draw a mechanism with OpenGL 3.3 (moderngl), in a window's context or without any display; knows no window
    toolkit.
Takes: a `World`, link poses (n_links, 7), a `Camera`, a `Theme`, overlays as plain data.
Gives: `Scene`, `Camera`, `Renderer` (draw, pick), pictures as uint8 arrays and PNG files, polygons for a painter
    without OpenGL.
May import: formats, physics, mechanism, model, spatial, errors, numpy, moderngl, pillow.
Start at: renderer.py
"""
