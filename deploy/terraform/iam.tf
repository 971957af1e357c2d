data "aws_caller_identity" "current" {}
data "aws_region" "current" {}
data "aws_partition" "current" {}

locals {
  ec2_arn = "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.name}:${data.aws_caller_identity.current.account_id}"

  # Each has readers of its own.
  folders = compact([var.identity, var.zookeeper_identity, var.authority])

  # Files of the identity, which instances read at their first start.
  read_identity = {
    Effect   = "Allow"
    Action   = ["s3:GetObject"]
    Resource = "arn:${data.aws_partition.current.partition}:s3:::${trimprefix(var.identity, "s3://")}/*"
  }
  read_zookeeper_identity = {
    Effect   = "Allow"
    Action   = ["s3:GetObject"]
    Resource = "arn:${data.aws_partition.current.partition}:s3:::${trimprefix(var.zookeeper_identity, "s3://")}/*"
  }
  read_authority = [for folder in compact([var.authority]) : {
    Effect   = "Allow"
    Action   = ["s3:GetObject"]
    Resource = "arn:${data.aws_partition.current.partition}:s3:::${trimprefix(folder, "s3://")}/*"
  }]

  assume_by_ec2 = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })
}

# ZooKeeper's instances read their identity, and nothing else.
resource "aws_iam_role" "zookeeper" {
  name_prefix        = "${var.name}-zookeeper-"
  assume_role_policy = local.assume_by_ec2
}

resource "aws_iam_role_policy" "zookeeper" {
  name = "identity"
  role = aws_iam_role.zookeeper.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [local.read_zookeeper_identity]
  })
}

resource "aws_iam_instance_profile" "zookeeper" {
  name_prefix = "${var.name}-zookeeper-"
  role        = aws_iam_role.zookeeper.name
}

# Servers read and write objects and read their identity, and nothing else.
resource "aws_iam_role" "server" {
  name_prefix        = "${var.name}-server-"
  assume_role_policy = local.assume_by_ec2
}

resource "aws_iam_role_policy" "server" {
  name = "store"
  role = aws_iam_role.server.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["s3:ListBucket", "s3:GetBucketVersioning"]
        Resource = aws_s3_bucket.store.arn
      },
      {
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
        Resource = "${aws_s3_bucket.store.arn}/*"
      },
      local.read_identity,
    ]
  })
}

resource "aws_iam_instance_profile" "server" {
  name_prefix = "${var.name}-server-"
  role        = aws_iam_role.server.name
}

# Coordinators launch servers from the one template, and end only instances with the profile of servers and the tag of a launch. They
# read their identity, and the authority if there is one.
resource "aws_iam_role" "coordinator" {
  name_prefix        = "${var.name}-coordinator-"
  assume_role_policy = local.assume_by_ec2
}

resource "aws_iam_role_policy" "coordinator" {
  name = "servers"
  role = aws_iam_role.coordinator.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat([
      {
        # EC2 does not limit this action to resources.
        Effect   = "Allow"
        Action   = ["ec2:DescribeInstances"]
        Resource = "*"
      },
      {
        Effect   = "Allow"
        Action   = ["ec2:RunInstances"]
        Resource = "*"
        Condition = {
          ArnEquals = { "ec2:LaunchTemplate" = aws_launch_template.server.arn }
        }
      },
      {
        Effect   = "Allow"
        Action   = ["ec2:CreateTags"]
        Resource = ["${local.ec2_arn}:instance/*", "${local.ec2_arn}:volume/*"]
        Condition = {
          StringEquals = { "ec2:CreateAction" = "RunInstances" }
        }
      },
      {
        Effect   = "Allow"
        Action   = ["ec2:TerminateInstances", "ec2:StartInstances"]
        Resource = "${local.ec2_arn}:instance/*"
        Condition = {
          ArnEquals = { "ec2:InstanceProfile" = aws_iam_instance_profile.server.arn }
          Null      = { "aws:ResourceTag/uniserve-token" = "false" }
        }
      },
      {
        Effect    = "Allow"
        Action    = ["iam:PassRole"]
        Resource  = aws_iam_role.server.arn
        Condition = { StringEquals = { "iam:PassedToService" = "ec2.amazonaws.com" } }
      },
      local.read_identity,
    ], local.read_authority)
  })
}

resource "aws_iam_instance_profile" "coordinator" {
  name_prefix = "${var.name}-coordinator-"
  role        = aws_iam_role.coordinator.name
}
