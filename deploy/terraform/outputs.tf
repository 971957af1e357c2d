output "bootstrap" {
  description = "Value of --bootstrap for clients."
  value       = join(",", [for interface in aws_network_interface.coordinator : "${interface.private_ip}:7070"])
}

output "zookeeper" {
  description = "Value of zookeeper.connect. The names are those in /etc/hosts of the instances."
  value       = local.zookeeper_connect
}

output "store" {
  description = "Value of storage.location."
  value       = local.store
}

output "launch_template" {
  description = "Template of servers."
  value       = aws_launch_template.server.id
}

output "servers_command" {
  description = "Lists the servers that coordinators have launched. They are no resources of Terraform, so end them before destroy."
  value       = "aws ec2 describe-instances --filters Name=iam-instance-profile.arn,Values=${aws_iam_instance_profile.server.arn} Name=instance-state-name,Values=pending,running,stopping,stopped --query 'Reservations[].Instances[].InstanceId' --output text"
}
