"""The vocabulary of SDFormat 1.12: for every known element, whether it is read, and if not, why not. A table, not code.

`CHILDREN[parent][child]` is a `Word` of `formats/vocabulary.py`. The contents of an element that is not read are not
judged. Elements that are in no list are unknown and warned about.
"""

from __future__ import annotations

from simulator.formats.control.vocabulary import OWN_VOCABULARY
from simulator.formats.sdf import extensions
from simulator.formats.vocabulary import Vocabulary, Word, ignored, silent, words

CONVEX_HULL = "convex_hull"
"""`optimization` of a `<mesh>` that collides as its hull."""
LOOKS = silent("it only changes how things look")
SOLVER = silent("it tunes a solver of another engine")
CONTACTS = ignored(
    "contacts are rigid, or give way as <kp> and <kd> say, at every point where bodies touch; what overlaps is moved "
    "apart without a velocity"
)
RIGID_STOP = ignored("stops are rigid, and nothing bounces off them")
PLUGIN = ignored("plugins are programs of Gazebo and are not run")
SENSOR = silent("nothing is measured by sensors here; every channel is recorded directly")
JOINT_SENSOR = silent("of the sensors of joints, force_torque becomes columns of reactions; others measure nothing")
WIND = ignored("wind and air are not simulated")
NO_ACTOR = ignored("actors are animations without dynamics and are not shown")

_SHAPE_SIZES = {
    "box": "size",
    "capsule": "radius length",
    "cone": "radius length",
    "cylinder": "radius length",
    "ellipsoid": "radii",
    "plane": "normal size",
    "sphere": "radius",
}
_AXIS_STATE = words(
    "position velocity",
    acceleration=ignored("only start positions and velocities are read"),
    effort=ignored("only start positions and velocities are read"),
)

_MAPS = (
    "normal_map environment_map ambient_occlusion_map emissive_map light_map "
    "roughness_map metalness_map specular_map glossiness_map"
)
"""Pictures that are named as not drawn."""

CHILDREN: dict[str, dict[str, Word]] = {
    "sdf": words("world model include", actor=NO_ACTOR, light=LOOKS),
    "world": words(
        "model joint frame include physics gravity",
        actor=NO_ACTOR, light=LOOKS, plugin=PLUGIN, gui=LOOKS, scene=LOOKS, wind=WIND, atmosphere=WIND,
        audio=silent("nothing is heard"),
        magnetic_field=silent("nothing magnetic is simulated"),
        spherical_coordinates=silent("the position on the earth moves nothing"),
        state=ignored("logged states are not replayed; use <model_state> for start positions"),
        population=ignored("populations are not spread out; include each model"),
        road=LOOKS,
    ),
    "model": words(
        "link joint frame model include pose static self_collide model_state",
        plugin=PLUGIN, enable_wind=WIND, ros2_control=OWN_VOCABULARY, transmission=OWN_VOCABULARY,
        allow_auto_disable=silent("bodies are never put to sleep"),
        gripper=ignored("grippers do not grasp; use contacts or a fixed joint"),
    ),
    "include": words(
        "uri name pose static placement_frame model_state",
        plugin=PLUGIN, namespace=silent("it only names topics"),
    ),
    "frame": words("pose"),
    "link": words(
        "pose inertial visual collision gravity kinematic self_collide",
        sensor=SENSOR, light=LOOKS, plugin=PLUGIN, enable_wind=WIND, projector=LOOKS,
        velocity_decay=ignored("use the damping of a joint"),
        battery=silent("no energy store drives anything"),
        audio_source=silent("nothing is heard"), audio_sink=silent("nothing is heard"),
        must_be_base_link=silent("the mechanism chooses its own spanning tree"),
        particle_emitter=LOOKS,
    ),
    "inertial": words(
        "pose mass inertia density ixx ixy ixz iyy iyz izz",
        fluid_added_mass=ignored("the mass of the surrounding fluid is not simulated"),
        auto_inertia_params=ignored("no parameters are needed for the automatic inertia"),
    ),
    "inertia": words("ixx ixy ixz iyy iyz izz"),
    "visual": words(
        "pose geometry material transparency",
        cast_shadows=LOOKS, laser_retro=LOOKS, visibility_flags=LOOKS, meta=LOOKS, plugin=PLUGIN,
    ),
    "collision": words(
        "pose geometry surface density",
        laser_retro=LOOKS, max_contacts=CONTACTS,
        auto_inertia_params=ignored("no parameters are needed for the automatic inertia"),
    ),
    "material": words(
        "script ambient diffuse specular emissive pbr",
        shader=LOOKS, lighting=LOOKS, shininess=LOOKS, render_order=LOOKS, double_sided=LOOKS,
    ),
    "pbr": words("metal specular"),
    "metal": words(f"albedo_map {_MAPS}", roughness=LOOKS, metalness=LOOKS),
    "pbr/specular": words(f"albedo_map {_MAPS}", glossiness=LOOKS),
    "script": words("uri name"),
    "geometry": words(
        f"{' '.join(_SHAPE_SIZES)} mesh empty",
        **dict.fromkeys(("heightmap", "polyline", "image"), silent("the geometry reader reports it")),
    ),
    **{shape: words(sizes) for shape, sizes in _SHAPE_SIZES.items()},
    "mesh": words("uri scale submesh", convex_decomposition=SOLVER),
    "submesh": words("name center"),
    "surface": words("bounce friction contact", soft_contact=ignored("soft bodies are not simulated")),
    "bounce": words("restitution_coefficient threshold"),
    "friction": words("ode torsional bullet"),
    "friction/bullet": words(
        "friction friction2 fdir1",
        rolling_friction=ignored("nothing brakes what rolls; use the damping of a joint"),
    ),
    "friction/ode": words("mu mu2 fdir1 slip1 slip2"),
    "torsional": words("coefficient use_patch_radius patch_radius surface_radius ode"),
    "torsional/ode": words("slip"),
    "contact": words(
        "collide_bitmask ode",
        bullet=CONTACTS, category_bitmask=ignored("the category mask is not used, only collide_bitmask"),
        collide_without_contact=ignored("every collision makes contact"),
        collide_without_contact_bitmask=ignored("every collision makes contact"),
        poissons_ratio=CONTACTS, elastic_modulus=CONTACTS,
    ),
    "contact/ode": words(
        "kp kd", soft_cfm=CONTACTS, soft_erp=CONTACTS,
        max_vel=CONTACTS, min_depth=CONTACTS,
    ),
    "joint": words(
        "pose parent child axis axis2 screw_thread_pitch thread_pitch gearbox_ratio gearbox_reference_body physics",
        sensor=JOINT_SENSOR, plugin=PLUGIN,
    ),
    "axis": words("xyz limit dynamics mimic initial_position"),
    "axis2": words("xyz limit dynamics mimic initial_position"),
    "limit": words("lower upper effort velocity", stiffness=RIGID_STOP, dissipation=RIGID_STOP),
    "dynamics": words("damping friction spring_reference spring_stiffness"),
    "mimic": words("multiplier offset reference"),
    "joint/physics": words("simbody ode", provide_feedback=silent("the forces of every joint are recorded")),
    "simbody": words("must_be_loop_joint"),
    "physics": words(
        "max_step_size real_time_factor ode bullet",
        real_time_update_rate=silent("the step and the real-time factor say it already"),
        max_contacts=SOLVER, simbody=SOLVER, dart=SOLVER,
    ),
    "physics/ode": words(
        "solver limit", constraints=SOLVER,
        **dict.fromkeys(("provide_feedback", "cfm_damping", "implicit_spring_damper", "fudge_factor", "cfm", "erp",
                         "bounce", "max_force", "velocity", "suspension"), SOLVER),
    ),
    "ode/limit": words("", cfm=RIGID_STOP, erp=RIGID_STOP),
    "physics/bullet": words("solver", constraints=SOLVER),
    "solver": words(
        "iters",
        **dict.fromkeys(("type", "min_step_size", "island_threads", "precon_iters", "sor", "thread_position_correction",
                         "use_dynamic_moi_rescaling", "friction_model"), SOLVER),
    ),
    "model_state": words(
        "joint_state link_state",
        **dict.fromkeys(("pose", "scale", "frame", "model_state", "velocity", "acceleration", "wrench"),
                        ignored("of a model's state only those of its own joints and links are read")),
    ),
    "link_state": words(
        "velocity",
        **dict.fromkeys(("pose", "acceleration", "wrench", "collision_state"),
                        ignored("of a link's state only its velocity is read")),
    ),
    "joint_state": words("axis_state axis2_state"),
    "axis_state": _AXIS_STATE,
    "axis2_state": _AXIS_STATE,
}  # fmt: skip
"""Keyed by parent; `grandparent/parent` where a name means different things in different places."""

ATTRIBUTES: dict[str, str] = {
    "sdf": "version",
    "world": "name",
    "model": "name canonical_link placement_frame namespace",
    "include": "merge",
    "frame": "name attached_to",
    "link": f"name {extensions.ATTRIBUTES['link']}",
    "joint": f"name type {extensions.ATTRIBUTES['joint']}",
    "visual": "name",
    "collision": "name",
    "pose": "relative_to degrees rotation_format",
    "inertial": "auto",
    "xyz": "expressed_in",
    "fdir1": "expressed_in",
    "mimic": "joint axis",
    "physics": "name type default",
    "material": "",
    "normal_map": "type",
    "light_map": "uv_set",
    "mesh": "optimization",
    "model_state": "name",
    "joint_state": "name",
    "link_state": "name",
    "position": "degrees",
    "velocity": "degrees",
    "light": "name type",
    "plugin": "name filename",
    **extensions.CHILD_ATTRIBUTES,
}
"""Attributes that are known, by element; elements that are not listed have none."""

_REPEATABLE = (
    "world model include actor light joint frame link visual collision sensor plugin physics projector battery "
    "audio_source "
    "script/uri particle_emitter road population gripper state model_state joint_state polyline audio_sink link_state"
)
REPEATABLE = frozenset(_REPEATABLE.split())
"""Elements that may be repeated; of all others the first counts."""

HINTS: dict[tuple[str, str], str] = {
    ("joint", "mimic"): "<mimic> belongs into the <axis> or <axis2> of the follower; here it has no effect",
    ("joint", "limit"): "<limit> belongs into <axis>; here it has no effect",
    ("joint", "dynamics"): "<dynamics> belongs into <axis>; here it has no effect",
    ("joint", "origin"): "that is URDF; SDFormat has <pose>x y z roll pitch yaw</pose>",
    ("link", "origin"): "that is URDF; SDFormat has <pose>x y z roll pitch yaw</pose>",
    ("link", "mass"): "<mass> belongs into <inertial>",
    ("link", "geometry"): "<geometry> belongs into <visual> or <collision>",
    ("world", "link"): "a world holds models; put the link into a <model>",
    ("axis", "use_parent_model_frame"): "since SDFormat 1.7 it is <xyz expressed_in='__model__'>",
    ("axis2", "use_parent_model_frame"): "since SDFormat 1.7 it is <xyz expressed_in='__model__'>",
    ("pose", "frame"): "since SDFormat 1.7 the attribute is called relative_to; 'frame' is not read",
    ("inertia", "mass"): "<mass> belongs beside <inertia>",
    ("mimic", "multiplier"): "in SDFormat it is a child: <multiplier>…</multiplier>",
    ("mimic", "offset"): "in SDFormat it is a child: <offset>…</offset>",
    ("mimic", "reference"): "in SDFormat it is a child: <reference>…</reference>",
}
"""What to do about a frequent mistake, by (parent element, unknown element or attribute)."""

DEPRECATED: dict[tuple[str, str], str] = {
    (
        "joint",
        "thread_pitch",
    ): "screw_thread_pitch, in metres per revolution, right-handed positive (-2 pi / thread_pitch)",
    ("axis", "initial_position"): "<model_state><joint_state name='…'><axis_state><position>…; Gazebo ignores "
    "<initial_position>",
    ("axis2", "initial_position"): "<model_state><joint_state name='…'><axis2_state><position>…; Gazebo ignores "
    "<initial_position>",
}
"""Elements that are still read, with what replaces them."""

_NO = {"": "0"}
DEFAULTS: dict[str, dict[str, str]] = {
    "atmosphere": {"temperature": "288.15", "temperature_gradient": "-0.0065", "pressure": "101325"},
    "bullet": {"soft_cfm": "0", "soft_erp": "0.2", "kp": "1e12", "kd": "1", "split_impulse": "1",
               "split_impulse_penetration_threshold": "-0.01"},
    "category_bitmask": {"": "65535"},
    "collide_without_contact": _NO,
    "collide_without_contact_bitmask": {"": "1"},
    "cfm": _NO,
    "dissipation": {"": "1"},
    "elastic_modulus": {"": "-1"},
    "erp": {"": "0.2"},
    "max_contacts": {"": "10"},
    "max_vel": {"": "0.01"},
    "min_depth": _NO,
    "poissons_ratio": {"": "0.3"},
    "rolling_friction": _NO,
    "soft_cfm": _NO,
    "soft_erp": {"": "0.2"},
    "stiffness": {"": "1e8"},
    "velocity_decay": {"linear": "0", "angular": "0"},
    "enable_wind": _NO,
    "wind": {"linear_velocity": "0 0 0"},
}  # fmt: skip
"""Elements that are not simulated, with the values with which they change nothing; many programs write them out."""

_SYSTEMS = (
    "physics user-commands scene-broadcaster sensors contact imu altimeter air-pressure air-speed magnetometer navsat "
    "dvl forcetorque "
    "logical-camera logicalaudiosensorplugin touchplugin log joint-state-publisher pose-publisher odometry-publisher "
    "label thermal "
    "thermal-sensor particle-emitter performer-detector camera-video-recorder collada-world-exporter comms-endpoint "
    "acoustic-comms "
    "perfect-comms rf-comms optical-tactile-plugin"
)
_CLASSIC = (
    "gazebo_ros_camera gazebo_ros_depth_camera gazebo_ros_openni_kinect gazebo_ros_multicamera gazebo_ros_prosilica "
    "gazebo_ros_laser "
    "gazebo_ros_gpu_laser gazebo_ros_ray_sensor gazebo_ros_imu gazebo_ros_imu_sensor gazebo_ros_bumper "
    "gazebo_ros_ft_sensor "
    "gazebo_ros_f3d gazebo_ros_p3d gazebo_ros_range gazebo_ros_gps_sensor gazebo_ros_joint_state_publisher "
    "gazebo_imu_plugin "
    "gazebo_magnetometer_plugin gazebo_barometer_plugin gazebo_gps_plugin gazebo_groundtruth_plugin CameraPlugin "
    "DepthCameraPlugin "
    "GstCameraPlugin RayPlugin ContactPlugin ImuSensorPlugin"
)
WATCHERS = frozenset([*(f"gz-sim-{name}-system" for name in _SYSTEMS.split()), *_CLASSIC.split()])
"""Plugins that simulate what is simulated here, too, or that measure, show, record and report; none of them moves
anything."""

SDFORMAT = Vocabulary(CHILDREN, ATTRIBUTES, REPEATABLE, HINTS, DEPRECATED, extensions.CHILDREN, DEFAULTS, WATCHERS)
"""All of the above."""
