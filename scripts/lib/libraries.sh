# Shared libraries of the system that Qt, OpenGL and the tools for tests need. Sourced after common.sh and packages.sh.
# shellcheck shell=bash disable=SC2154 # venv is common.sh's

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
    local qt
    qt=$(compgen -G "$venv/lib/python3.*/site-packages/PyQt6/Qt6" | head -n 1) || return 0
    PYTHONPATH="$root" "$venv/bin/python" -m simulator.gui.system_libraries "$qt"
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
