# PyBullet where it has no wheel: compiled once, and the wheel kept in the user's cache. Sourced after environment.sh.
# shellcheck shell=bash disable=SC2154 # root and venv are common.sh's

bullet_wheels="${SIMULATOR_WHEELS:-${XDG_CACHE_HOME:-$HOME/.cache}/simulator/wheels}"

has_bullet() { "$venv/bin/python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("pybullet") is None)'; }

# The version that pyproject.toml asks for, whatever the system.
bullet_requirement() { sed -n 's/^bullet = \["\(pybullet==[0-9.]*\)"\].*/\1/p' "$root/pyproject.toml"; }

# The wheel that was compiled earlier, if there is one for this interpreter.
kept_wheel() {
    local tag
    tag=$("$venv/bin/python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    compgen -G "$bullet_wheels/$(bullet_requirement | tr -s = -)-$tag-*_$(uname -m).whl" | head -n 1
}

install_kept_bullet() {
    local wheel
    wheel=$(kept_wheel) &&
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps --no-index "$wheel" \
            >>"$setup_log" 2>&1
}

# ensure_bullet: PyBullet in .venv, compiled if need be. Needs an environment of kind runtime or dev.
ensure_bullet() {
    has_bullet && return
    exec 9>"$venv/.setup.lock"
    flock 9
    has_bullet || install_kept_bullet || build_bullet
    exec 9>&-
}

build_bullet() {
    local -a packages
    mapfile -t packages < <(missing_for_building)
    ((${#packages[@]} == 0)) ||
        offer_packages "Compiling PyBullet needs a C++ compiler and Python's headers." "${packages[@]}"
    mkdir -p "$bullet_wheels"
    stage "[bullet] compiling PyBullet for $("$venv/bin/python" --version) (five to ten minutes, once)" \
        "$venv/bin/python" -m pip wheel --disable-pip-version-check --no-input --no-deps --wheel-dir "$bullet_wheels" \
        "$(bullet_requirement)"
    stage "[bullet] installing it (kept in $bullet_wheels)" install_kept_bullet
}

# For `require`: what compiling PyBullet needs, where it has to be compiled.
probe_building() {
    has_bullet || kept_wheel >/dev/null || missing_for_building | sed 's/.*/& &/'
}

missing_for_building() {
    local headers
    command -v g++ >/dev/null || echo g++
    headers=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
    [[ -e $headers/Python.h ]] || "$venv/bin/python" -c 'import sys; print("python%d.%d-dev" % sys.version_info[:2])'
}
