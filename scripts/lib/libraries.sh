# Shared libraries of the system that Qt, OpenGL and the tools for tests need. Sourced after common.sh and packages.sh.
# shellcheck shell=bash disable=SC2154 # venv is common.sh's

# Which Debian package brings a library that Qt's plugins are linked to.
declare -A package_of=(
    [libEGL.so.1]=libegl1
    [libGL.so.1]=libgl1
    [libX11-xcb.so.1]=libx11-xcb1
    [libX11.so.6]=libx11-6
    [libdbus-1.so.3]=libdbus-1-3
    [libfontconfig.so.1]=libfontconfig1
    [libfreetype.so.6]=libfreetype6
    [libglib-2.0.so.0]=libglib2.0-0
    [libgthread-2.0.so.0]=libglib2.0-0
    [libstdc++.so.6]=libstdc++6
    [libwayland-client.so.0]=libwayland-client0
    [libwayland-cursor.so.0]=libwayland-cursor0
    [libwayland-egl.so.1]=libwayland-egl1
    [libxcb-cursor.so.0]=libxcb-cursor0
    [libxcb-glx.so.0]=libxcb-glx0
    [libxcb-icccm.so.4]=libxcb-icccm4
    [libxcb-image.so.0]=libxcb-image0
    [libxcb-keysyms.so.1]=libxcb-keysyms1
    [libxcb-randr.so.0]=libxcb-randr0
    [libxcb-render-util.so.0]=libxcb-render-util0
    [libxcb-render.so.0]=libxcb-render0
    [libxcb-shape.so.0]=libxcb-shape0
    [libxcb-shm.so.0]=libxcb-shm0
    [libxcb-sync.so.1]=libxcb-sync1
    [libxcb-util.so.1]=libxcb-util1
    [libxcb-xfixes.so.0]=libxcb-xfixes0
    [libxcb-xkb.so.1]=libxcb-xkb1
    [libxcb.so.1]=libxcb1
    [libxkbcommon-x11.so.0]=libxkbcommon-x11-0
    [libxkbcommon.so.0]=libxkbcommon0
    [libz.so.1]=zlib1g
)

# require WHAT PROBE…: WHAT names the purpose; each PROBE is a function that prints lines "library package".
require() {
    local what=$1 missing libraries packages
    shift
    missing=$(missing_of "$@")
    [[ -n $missing ]] || return 0
    libraries=$(cut -d' ' -f1 <<<"$missing" | paste -sd, | sed 's/,/, /g')
    mapfile -t packages < <(cut -d' ' -f2- <<<"$missing" | sed '/^?$/d' | sort -u)
    if ((${#packages[@]} == 0)); then
        fail "$what needs what this system lacks: $libraries" \
            "Install the packages that bring them and start again."
    fi
    mkdir -p "$venv"
    offer_packages "$what needs what this system lacks: $libraries" "${packages[@]}"
    missing=$(missing_of "$@")
    [[ -z $missing ]] || fail "Still missing after the installation: $missing"
}

missing_of() {
    local probe
    for probe in "$@"; do "$probe"; done | sort -u
}

# What the Qt platform in use (xcb under X, wayland without X, or what QT_QPA_PLATFORM says) cannot find.
probe_window() {
    local plugins platform library missing
    plugins=$(compgen -G "$venv/lib/python3.*/site-packages/PyQt6/Qt6/plugins" | head -n 1) || return 0
    platform=${QT_QPA_PLATFORM:-$([[ -n ${DISPLAY:-} ]] && echo xcb || echo wayland)}
    platform=${platform%%[:;]*}
    local files=("$plugins/platforms/libq$platform.so")
    case $platform in
        xcb) files+=("$plugins"/xcbglintegrations/*.so) ;;
        wayland*)
            files=(
                "$plugins/platforms/libqwayland.so"
                "$plugins"/wayland-graphics-integration-client/libqt-plugin-wayland-egl.so
            )
            ;;
    esac
    missing=$(ldd "${files[@]}" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u) || true
    for library in $missing; do
        printf '%s %s\n' "$library" "${package_of[$library]:-?}"
    done
}

# Pictures without a window: EGL and a driver behind it.
probe_egl() {
    local known
    known=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p)
    [[ $known == *libEGL.so.1* ]] || printf 'libEGL.so.1 libegl1\n'
    [[ $known == *libGL.so.1* ]] || printf 'libGL.so.1 libgl1\n'
    [[ $known == *libEGL_*.so.0* ]] || printf 'libEGL_mesa.so.0 libegl-mesa0\n'
}

# Mesa's software renderer, which draws where there is no graphics card.
probe_mesa() {
    compgen -G '/usr/lib*/*/dri/swrast_dri.so' >/dev/null || compgen -G '/usr/lib*/dri/swrast_dri.so' >/dev/null ||
        compgen -G '/usr/lib*/*/libgallium-*.so' >/dev/null || printf 'swrast_dri.so libgl1-mesa-dri\n'
}

# Pinocchio, which gives tests independent answers, is compiled with OpenMP; its wheel leaves the library to the system.
probe_openmp() {
    local known
    compgen -G "$venv/lib/python3.*/site-packages/cmeel.prefix" >/dev/null || return 0
    known=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p)
    [[ $known == *libgomp.so.1* ]] || printf 'libgomp.so.1 libgomp1\n'
}

# A virtual X screen.
probe_xvfb() { command -v Xvfb >/dev/null || printf 'Xvfb xvfb\n'; }
