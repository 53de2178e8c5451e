#!/usr/bin/env bash
# Gives the newest PostgreSQL of Debian's packages on this machine the extension pgvector: scripts/install-pgvector.sh
# Does nothing where it is there. Installs the distribution's package, or builds it from Debian's source where there is none.
# Needs root (or sudo without a password). The system's own package sources and lists stay as they are.
set -euo pipefail

# Debian's release that the source is taken from: the newest that builds for all servers since 13.
SOURCE_SUITE=trixie
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

as_root() { if [ "$(id -u)" -eq 0 ]; then env "$@"; else sudo -n env "$@"; fi; }
apt() { as_root DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 timeout 300 apt-get -qq --yes --no-install-recommends "$@"; }

version=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -type d -printf '%f\n' 2> /dev/null | sort -n | tail -n 1)
[ -n "$version" ] || { echo "install-pgvector: no PostgreSQL of Debian's packages on this machine" >&2; exit 1; }
control=/usr/share/postgresql/$version/extension/vector.control

# One at a time: tests ask side by side.
exec 9> "${TMPDIR:-/tmp}/install-pgvector.lock"
flock 9
if [ -e "$control" ]; then exit 0; fi

apt update
if apt install "postgresql-$version-pgvector" > /dev/null 2>&1; then exit 0; fi

echo "install-pgvector: no package for PostgreSQL $version; building Debian's source"
apt install "postgresql-server-dev-$version" make gcc libc6-dev dpkg-dev > /dev/null

# The mirror that this system's own sources name.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "install-pgvector: this system has no package source of Debian's" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt fetches as a user of its own.
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/source"
signed=""
[ ! -e "$KEYRING" ] || signed="[signed-by=$KEYRING] "
echo "deb-src $signed$mirror $SOURCE_SUITE main" > "$work/sources.list"
private=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists" -o "Dir::Cache::archives=$work/archives" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
cd "$work/source"
as_root timeout 120 apt-get -qq "${private[@]}" update
as_root timeout 120 apt-get -qq "${private[@]}" source --download-only pgvector
dpkg-source --no-check --extract ./*.dsc built > /dev/null
# Without the machine's own instructions: a build may be kept and run elsewhere. Without LLVM, which is large.
make -C built --silent with_llvm=no OPTFLAGS= PG_CONFIG="/usr/lib/postgresql/$version/bin/pg_config" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
as_root make -C built --silent with_llvm=no OPTFLAGS= PG_CONFIG="/usr/lib/postgresql/$version/bin/pg_config" install >> "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
[ -e "$control" ] || { echo "install-pgvector: built, and yet $control is not there" >&2; exit 1; }
