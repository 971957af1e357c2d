# One group for all processes of the cluster: they reach each other.
resource "aws_security_group" "cluster" {
  name_prefix = "${var.name}-uniserve-"
  description = "Uniserve ${var.name}"
  vpc_id      = var.vpc_id
  lifecycle {
    create_before_destroy = true
  }
}

locals {
  inner_ports = {
    coordinator      = [7070, 7070]
    server           = [7071, 7071]
    zookeeper        = [2281, 2281]
    zookeeper_quorum = [2888, 2888]
    zookeeper_leader = [3888, 3888]
  }
}

resource "aws_vpc_security_group_ingress_rule" "inner" {
  for_each                     = local.inner_ports
  security_group_id            = aws_security_group.cluster.id
  referenced_security_group_id = aws_security_group.cluster.id
  description                  = each.key
  ip_protocol                  = "tcp"
  from_port                    = each.value[0]
  to_port                      = each.value[1]
}

resource "aws_vpc_security_group_ingress_rule" "clients" {
  for_each          = toset(var.client_cidrs)
  security_group_id = aws_security_group.cluster.id
  cidr_ipv4         = each.value
  description       = "clients"
  ip_protocol       = "tcp"
  from_port         = 7070
  to_port           = 7071
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.cluster.id
  cidr_ipv4         = "0.0.0.0/0"
  description       = "release, packages, AWS"
  ip_protocol       = "-1"
}
