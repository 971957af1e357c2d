locals {
  zookeepers   = 3
  coordinators = 2

  zookeeper_ips     = aws_network_interface.zookeeper[*].private_ip
  zookeeper_connect = join(",", [for index in range(local.zookeepers) : "zk${index + 1}:2281"])
  store             = "s3://${aws_s3_bucket.store.bucket}/${var.name}?region=${data.aws_region.current.name}"

  # Variables of deploy/ec2/user-data.sh, which follows them.
  release = [
    "#!/bin/bash",
    "export RELEASE_URL='${var.release_url}'",
    "export RELEASE_SHA256='${var.release_sha256}'",
    "export ZOOKEEPER='${local.zookeeper_connect}'",
    "export MEMBERS='${join(" ", local.zookeeper_ips)}'",
    "export CLUSTER='${var.name}'",
    "export IDENTITY='${var.identity}'",
  ]
  scaling = <<-EOT
    coordinator.scaling {
      provider = "ec2"
      template = "${aws_launch_template.server.id}:${aws_launch_template.server.latest_version}"
      servers-min = ${var.servers_min}
      servers-max = ${var.servers_max}
      launch-timeout = 10m
      ec2 {
        region = "${data.aws_region.current.name}"
        subnets = ${jsonencode(var.subnet_ids)}
        instance-types = ${jsonencode(var.server_instance_types)}
        spot = ${var.spot}
      }
    }
  EOT
}

# The addresses are known before the instances are, so each instance gets all of them.
resource "aws_network_interface" "zookeeper" {
  count           = local.zookeepers
  subnet_id       = var.subnet_ids[count.index % length(var.subnet_ids)]
  security_groups = [aws_security_group.cluster.id]
}

resource "aws_instance" "zookeeper" {
  count                = local.zookeepers
  ami                  = var.ami_id
  instance_type        = var.zookeeper_instance_type
  iam_instance_profile = aws_iam_instance_profile.zookeeper.name
  user_data = join("\n", [
    "#!/bin/bash",
    "export ID=${count.index + 1}",
    "export MEMBERS='${join(" ", local.zookeeper_ips)}'",
    "export IDENTITY='${var.zookeeper_identity}'",
    file("${path.module}/../ec2/zookeeper-user-data.sh"),
  ])
  tags = { Name = "${var.name}-zookeeper-${count.index + 1}" }

  network_interface {
    device_index         = 0
    network_interface_id = aws_network_interface.zookeeper[count.index].id
  }
  metadata_options {
    http_tokens = "required"
  }
  root_block_device {
    volume_type = "gp3"
    volume_size = 20
    encrypted   = true
  }
  lifecycle {
    ignore_changes = [ami, user_data]
  }
}

# A replaced coordinator keeps its address, so clients keep their bootstrap.
resource "aws_network_interface" "coordinator" {
  count           = local.coordinators
  subnet_id       = var.subnet_ids[count.index % length(var.subnet_ids)]
  security_groups = [aws_security_group.cluster.id]
}

resource "aws_instance" "coordinator" {
  count                = local.coordinators
  ami                  = var.ami_id
  instance_type        = var.coordinator_instance_type
  iam_instance_profile = aws_iam_instance_profile.coordinator.name
  user_data = join("\n", concat(local.release, [
    "export ROLE=coordinator",
    "export AUTHORITY='${var.authority}'",
    "export JAVA_OPTIONS=-Xmx512m",
    "export SETTINGS='${local.scaling}'",
    file("${path.module}/../ec2/user-data.sh"),
  ]))
  user_data_replace_on_change = true
  tags                        = { Name = "${var.name}-coordinator-${count.index + 1}" }

  network_interface {
    device_index         = 0
    network_interface_id = aws_network_interface.coordinator[count.index].id
  }
  metadata_options {
    http_tokens = "required"
  }
  root_block_device {
    volume_type = "gp3"
    volume_size = 20
    encrypted   = true
  }
  depends_on = [aws_instance.zookeeper]
  lifecycle {
    precondition {
      condition     = var.servers_min <= var.servers_max
      error_message = "servers_min is larger than servers_max."
    }
    precondition {
      condition = length(distinct(local.folders)) == length(local.folders) && alltrue([
        for pair in setproduct(local.folders, local.folders) : pair[0] == pair[1] || !startswith("${pair[0]}/", "${pair[1]}/")
      ])
      error_message = "identity, zookeeper_identity and authority: use three folders, none of them below another."
    }
  }
}

# Servers have no group of their own: the coordinator launches and ends them.
resource "aws_launch_template" "server" {
  name_prefix            = "${var.name}-server-"
  image_id               = var.ami_id
  instance_type          = var.server_instance_types[0]
  vpc_security_group_ids = [aws_security_group.cluster.id]
  update_default_version = true
  user_data = base64encode(join("\n", concat(local.release, [
    "export STORE='${local.store}'",
    "export JAVA_OPTIONS=-Xmx${var.server_heap}",
    file("${path.module}/../ec2/user-data.sh"),
  ])))

  iam_instance_profile {
    name = aws_iam_instance_profile.server.name
  }
  metadata_options {
    http_tokens            = "required"
    instance_metadata_tags = "enabled"
  }
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_type           = "gp3"
      volume_size           = var.server_disk_gib
      encrypted             = true
      delete_on_termination = true
    }
  }
}
