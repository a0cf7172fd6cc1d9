# Shared by the scripts: where the repository is, how to talk, how to get what is missing.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Talk goes to standard error: standard output belongs to the program.
say() { printf 'playhead: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root: directly, or with sudo, which asks for the password itself.
as_root() {
    say "running: $*"
    if [ "$(id -u)" -eq 0 ]; then
        "$@" </dev/null >&2
    elif have sudo; then
        sudo "$@" </dev/null >&2
    else
        fail "this needs root and there is no sudo; run as root: $*"
    fi
}

# Homebrew keeps some libraries out of the usual folders.
if have brew; then
    for formula in openssl@3 libyaml zlib brotli zstd; do
        folder="$(brew --prefix)/opt/$formula/lib/pkgconfig"
        if [ -d "$folder" ]; then PKG_CONFIG_PATH="$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"; fi
    done
    export PKG_CONFIG_PATH
fi

# name in pkg-config : apt : dnf : brew
libraries='
openssl       libssl-dev     openssl-devel  openssl@3
yaml-0.1      libyaml-dev    libyaml-devel  libyaml
zlib          zlib1g-dev     zlib-devel     zlib
libbrotlienc  libbrotli-dev  brotli-devel   brotli
libbrotlidec  libbrotli-dev  brotli-devel   brotli
libzstd       libzstd-dev    libzstd-devel  zstd
'

# Prints the column of the package manager for every library that is missing.
missing_libraries() {
    local column=$1 name apt dnf brew
    while read -r name apt dnf brew; do
        [ -n "$name" ] || continue
        if have pkg-config && pkg-config --exists "$name"; then continue; fi
        case $column in
            name) echo "$name" ;;
            apt) echo "$apt" ;;
            dnf) echo "$dnf" ;;
            brew) echo "$brew" ;;
        esac
    done <<<"$libraries" | sort -u
}

# The package lists are read once per run.
apt_updated=''
install_apt() {
    if [ -z "$apt_updated" ]; then
        as_root apt-get update -q || say "apt-get update failed; trying with the lists that are here"
        apt_updated=1
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -q --no-install-recommends "$@"
}

# Installs the system libraries that are missing.
install_libraries() {
    local packages=() package kind
    if have pkg-config && [ -z "$(missing_libraries name)" ]; then return; fi
    if have apt-get; then
        kind=apt
        have pkg-config || packages+=(pkg-config)
    elif have dnf; then
        kind=dnf
        have pkg-config || packages+=(pkgconf-pkg-config)
    elif have brew; then
        kind=brew
        have pkg-config || packages+=(pkgconf)
    else
        fail "please install, with your package manager, pkg-config and the development files of:" \
            "$(missing_libraries name | tr '\n' ' ')"
    fi
    while read -r package; do
        if [ -n "$package" ]; then packages+=("$package"); fi
    done < <(missing_libraries "$kind")
    say "installing system libraries: ${packages[*]}"
    case $kind in
        apt) install_apt "${packages[@]}" ;;
        dnf) as_root dnf install -y -q "${packages[@]}" ;;
        brew)
            brew install "${packages[@]}" </dev/null >&2
            for package in "${packages[@]}"; do
                PKG_CONFIG_PATH="$(brew --prefix)/opt/$package/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
            done
            export PKG_CONFIG_PATH
            ;;
    esac
    if [ -n "$(missing_libraries name)" ]; then
        fail "still missing after the installation: $(missing_libraries name | tr '\n' ' ')"
    fi
}

require_swift() {
    have swift || fail "the Swift toolchain is not in PATH; see https://www.swift.org/install/"
}
