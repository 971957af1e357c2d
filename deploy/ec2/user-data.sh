#!/bin/bash
# User data of an instance: installs a release and starts a server or a coordinator. A server takes its id from the instance's tags,
# which the auto-scaler sets. Needs Debian 12 or Amazon Linux 2023, and for servers metadata tags, which the provider enables.
# Set these before use:
RELEASE_URL="${RELEASE_URL:-https://example.com/uniserve-0.1.0.tar.gz}"
RELEASE_SHA256="${RELEASE_SHA256:-}"
ZOOKEEPER="${ZOOKEEPER:-zk1:2281}"
# false: ZooKeeper has no TLS. Who sees the traffic then sees the password.
ZOOKEEPER_TLS="${ZOOKEEPER_TLS:-true}"
# Addresses of zk1, zk2, ..., separated by spaces, if DNS does not have these names.
MEMBERS="${MEMBERS:-}"
CLUSTER="${CLUSTER:-search}"
STORE="${STORE:-}"
# "server", or "coordinator".
ROLE="${ROLE:-server}"
# Required: folder in a bucket with certificate.pem, key.pem, trust.pem and zookeeper-password, such as s3://BUCKET/PREFIX, which the
# instance's role may read. The process renews the certificate of its machine, and the bucket keeps the first one.
IDENTITY="${IDENTITY:-}"
# For coordinators: folder in a bucket with authority.pem and authority.key, to renew certificates. Empty: no renewal.
AUTHORITY="${AUTHORITY:-}"
# Further settings, in the form of uniserve.conf, such as: coordinator.scaling.provider = ec2
SETTINGS="${SETTINGS:-}"
# Options of the JVM: give the heap about half of the machine's memory.
JAVA_OPTIONS="${JAVA_OPTIONS:--Xmx4g}"

set -euo pipefail
shopt -s inherit_errexit
METADATA=${METADATA:-http://169.254.169.254}
ROOT=${ROOT:-}

metadata() {
  curl -sf --retry 10 --retry-connrefused -H "X-aws-ec2-metadata-token: $TOKEN" "$METADATA/latest/meta-data/$1"
}

install_java() {
  if command -v java >/dev/null; then
    return
  elif command -v dnf >/dev/null; then
    dnf install -y -q java-17-amazon-corretto-headless
  else
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq openjdk-17-jre-headless curl
  fi
}

install_aws() {
  if command -v aws >/dev/null; then
    return
  elif command -v dnf >/dev/null; then
    dnf install -y -q awscli-2
  else
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq awscli
  fi
}

install_release() {
  local archive
  archive=$(mktemp)
  curl -sfL --retry 5 -o "$archive" "$RELEASE_URL"
  if [ -z "$RELEASE_SHA256" ]; then
    echo "set RELEASE_SHA256 to the checksum of $RELEASE_URL" >&2
    exit 1
  fi
  echo "$RELEASE_SHA256  $archive" | sha256sum -c --quiet
  mkdir -p "$ROOT/opt/uniserve"
  tar --no-same-owner -xzf "$archive" -C "$ROOT/opt/uniserve" --strip-components=1
  rm -f "$archive"
}

# Copies a file that only its owner may read. The role of a new instance may need some seconds until it works.
#     fetch_file VARIABLE FOLDER NAME TO PATTERN [WRONG]
fetch_file() {
  local from=$2/$3 to=$ROOT$4/$3 attempt
  for attempt in 1 2 3 4 5 6; do
    [ "$attempt" = 1 ] || sleep 5
    if (umask 077 && aws s3 cp --only-show-errors "$from" "$to.part"); then
      if ! grep -q -e "$5" "$to.part"; then
        echo "$1: $from is ${6:-no PEM file}" >&2
        exit 1
      fi
      chmod 0600 "$to.part"
      mv "$to.part" "$to"
      return
    fi
  done
  echo "$1: cannot read $from: put the file there, and let the role of the instance read it (s3:GetObject)" >&2
  exit 1
}

fetch_identity() {
  local file folder=/etc/uniserve/identity
  AWS_DEFAULT_REGION=$(metadata placement/region)
  export AWS_DEFAULT_REGION
  mkdir -p "$ROOT/etc/uniserve"
  install -d -m 0700 "$ROOT$folder"
  for file in certificate.pem key.pem trust.pem; do
    fetch_file IDENTITY "$IDENTITY" "$file" "$folder" '-----BEGIN '
  done
  fetch_file IDENTITY "$IDENTITY" zookeeper-password "$folder" '^..*$' empty
  chown -R uniserve:uniserve "$ROOT$folder"
  if [ "$ROLE" = coordinator ] && [ -n "$AUTHORITY" ]; then
    folder=/etc/uniserve/authority
    install -d -m 0700 "$ROOT$folder"
    for file in authority.pem authority.key; do
      fetch_file AUTHORITY "$AUTHORITY" "$file" "$folder" '-----BEGIN '
    done
    chown -R uniserve:uniserve "$ROOT$folder"
  fi
}

# Certificates of ZooKeeper have its names. cloud-init may write /etc/hosts anew at each boot, from its template.
write_hosts() {
  local file member number
  for file in "$ROOT/etc/hosts" "$ROOT"/etc/cloud/templates/hosts.*.tmpl; do
    [ -f "$file" ] || continue
    number=0
    for member in $MEMBERS; do
      number=$((number + 1))
      echo "$member zk$number" >>"$file"
    done
  done
}

own_settings() {
  local id zone host
  host=$(metadata local-ipv4)
  if [ "$ROLE" = coordinator ]; then
    echo "  coordinator.advertised-host = \"$host\""
    [ -z "$AUTHORITY" ] || echo '  security.renewal.authority = "/etc/uniserve/authority"'
    return
  fi
  id=$(metadata tags/instance/uniserve-server)
  zone=$(metadata placement/availability-zone)
  echo "  server { id = \"$id\", zone = \"$zone\", advertised-host = \"$host\", interruption-notices = ec2 }"
}

write_settings() {
  local own arguments=
  own=$(own_settings)
  mkdir -p "$ROOT/etc/uniserve"
  cat >"$ROOT/etc/uniserve/uniserve.conf" <<CONF
uniserve {
  cluster = "$CLUSTER"
  zookeeper {
    connect = "$ZOOKEEPER"
    access { scheme = digest, user = "uniserve", password-file = "/etc/uniserve/identity/zookeeper-password" }
    tls.enabled = $ZOOKEEPER_TLS
  }
  storage.location = "$STORE"
  security.mode = closed
  security.audit.directory = "/var/lib/uniserve/audit"
  tls {
    enabled = true
    certificate-file = "/etc/uniserve/identity/certificate.pem"
    key-file = "/etc/uniserve/identity/key.pem"
    trust-file = "/etc/uniserve/identity/trust.pem"
  }
$own
$SETTINGS
}
CONF
  # The data directory of a new instance is empty.
  [ "$ROLE" = coordinator ] || arguments=--new
  printf 'UNISERVE_ARGUMENTS=%s\nUNISERVE_JAVA_OPTS="%s"\n' "$arguments" "$JAVA_OPTIONS" >"$ROOT/etc/uniserve/$ROLE.env"
}

case "$ROLE" in
  server | coordinator) ;;
  *) echo "ROLE is \"$ROLE\": use server or coordinator" >&2; exit 1 ;;
esac
if [[ "$IDENTITY" != s3://?*/?* || "$IDENTITY" = */ ]]; then
  echo "IDENTITY is \"$IDENTITY\": set it to a folder in a bucket, s3://BUCKET/PREFIX, with certificate.pem, key.pem and trust.pem" \
    "from uniserve security issue server, and zookeeper-password" >&2
  exit 1
fi
if [[ -n "$AUTHORITY" && ("$AUTHORITY" != s3://?*/?* || "$AUTHORITY" = */) ]]; then
  echo "AUTHORITY is \"$AUTHORITY\": set it to a folder in a bucket, s3://BUCKET/PREFIX, with authority.pem and authority.key, or leave it empty" >&2
  exit 1
fi
case "$ZOOKEEPER_TLS" in
  true | false) ;;
  *) echo "ZOOKEEPER_TLS is \"$ZOOKEEPER_TLS\": use true or false" >&2; exit 1 ;;
esac
install_java
install_aws
TOKEN=$(curl -sf --retry 10 --retry-connrefused -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 600' "$METADATA/latest/api/token")
install_release
id uniserve >/dev/null 2>&1 || useradd --system --home-dir /var/lib/uniserve --shell /usr/sbin/nologin uniserve
fetch_identity
write_hosts
write_settings
cp "$ROOT/opt/uniserve/deploy/systemd/uniserve-$ROLE.service" "$ROOT/etc/systemd/system/"
systemctl daemon-reload
systemctl enable --now "uniserve-$ROLE"
