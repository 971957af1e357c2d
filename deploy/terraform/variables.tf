variable "name" {
  description = "Name of the cluster: 1 to 32 characters of a-z 0-9 -. Prefix of the names of all resources."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,31}$", var.name))
    error_message = "name: use 1 to 32 characters of a-z 0-9 -, the first a letter."
  }
}

variable "vpc_id" {
  description = "VPC of the cluster."
  type        = string
  validation {
    condition     = startswith(var.vpc_id, "vpc-")
    error_message = "vpc_id: use an id such as vpc-0a1b2c3d."
  }
}

variable "subnet_ids" {
  description = "Private subnets, best one per zone: instances are spread over them. They need a way to the release, to packages and to AWS (NAT gateway or endpoints)."
  type        = list(string)
  validation {
    condition     = length(var.subnet_ids) > 0 && alltrue([for id in var.subnet_ids : startswith(id, "subnet-")])
    error_message = "subnet_ids: give at least one id such as subnet-0a1b2c3d."
  }
}

variable "client_cidrs" {
  description = "Address ranges of clients. They reach the ports 7070 and 7071. A caller needs a certificate with an identity of the cluster."
  type        = list(string)
  default     = []
  validation {
    condition     = alltrue([for range in var.client_cidrs : can(cidrnetmask(range)) && try(tonumber(split("/", range)[1]) >= 8, false)])
    error_message = "client_cidrs: give ranges of IPv4 with a prefix of 8 bits or more, such as 10.0.0.0/16."
  }
}

variable "ami_id" {
  description = "Image of Debian 12 for the architecture of the instance types."
  type        = string
  validation {
    condition     = startswith(var.ami_id, "ami-")
    error_message = "ami_id: use an id such as ami-0a1b2c3d."
  }
}

variable "identity" {
  description = "Folder in a bucket that exists, s3://BUCKET/PREFIX, with certificate.pem, key.pem and trust.pem of uniserve security issue server, and zookeeper-password. All servers and coordinators share this identity, and their roles may read it."
  type        = string
  validation {
    condition     = can(regex("^s3://[a-z0-9][a-z0-9.-]{2,62}(/[A-Za-z0-9_.-]+)+$", var.identity))
    error_message = "identity: use a folder such as s3://my-bucket/uniserve/search, without a slash at its end."
  }
}

variable "zookeeper_identity" {
  description = "Another folder in a bucket, with certificate.pem, key.pem and trust.pem of uniserve security issue zookeeper for the hosts zk1, zk2 and zk3. Only the role of ZooKeeper's instances may read it."
  type        = string
  validation {
    condition     = can(regex("^s3://[a-z0-9][a-z0-9.-]{2,62}(/[A-Za-z0-9_.-]+)+$", var.zookeeper_identity))
    error_message = "zookeeper_identity: use a folder such as s3://my-bucket/uniserve/search-zookeeper, without a slash at its end."
  }
}

variable "authority" {
  description = "Another folder in a bucket, with authority.pem and authority.key, to renew certificates. Only the role of coordinators may read it. Empty: no renewal."
  type        = string
  default     = ""
  validation {
    condition     = can(regex("^(s3://[a-z0-9][a-z0-9.-]{2,62}(/[A-Za-z0-9_.-]+)+)?$", var.authority))
    error_message = "authority: use a folder such as s3://my-bucket/uniserve/search-authority, without a slash at its end, or leave it empty."
  }
}

variable "release_url" {
  description = "https address of the release's tar.gz."
  type        = string
  validation {
    condition     = startswith(var.release_url, "https://")
    error_message = "release_url: use an https address."
  }
}

variable "release_sha256" {
  description = "SHA-256 of the release, 64 hexadecimal digits."
  type        = string
  validation {
    condition     = can(regex("^[0-9a-f]{64}$", var.release_sha256))
    error_message = "release_sha256: use 64 hexadecimal digits."
  }
}

variable "server_instance_types" {
  description = "Types of servers, tried in this order while EC2 has no capacity. All of one architecture."
  type        = list(string)
  default     = ["m7i.large", "m6i.large"]
  validation {
    condition     = length(var.server_instance_types) > 0
    error_message = "server_instance_types: give at least one type."
  }
}

variable "server_heap" {
  description = "Heap of each server's JVM, about half of the machine's memory."
  type        = string
  default     = "4g"
  validation {
    condition     = can(regex("^[0-9]{1,6}[mg]$", var.server_heap))
    error_message = "server_heap: use a size such as 4g."
  }
}

variable "server_disk_gib" {
  description = "Size of each server's volume in GiB."
  type        = number
  default     = 100
  validation {
    condition     = var.server_disk_gib >= 8 && var.server_disk_gib <= 16384
    error_message = "server_disk_gib: use 8 to 16384."
  }
}

variable "servers_min" {
  description = "Servers that always run."
  type        = number
  default     = 3
  validation {
    condition     = var.servers_min >= 1
    error_message = "servers_min: use 1 or more."
  }
}

variable "servers_max" {
  description = "Servers that run at most."
  type        = number
  default     = 6
  validation {
    condition     = var.servers_max >= 1 && var.servers_max <= 100
    error_message = "servers_max: use 1 to 100."
  }
}

variable "spot" {
  description = "true for spot instances as servers."
  type        = bool
  default     = false
}

variable "coordinator_instance_type" {
  description = "Type of the two coordinators."
  type        = string
  default     = "t3.small"
}

variable "zookeeper_instance_type" {
  description = "Type of the three instances of ZooKeeper."
  type        = string
  default     = "t3.small"
}

variable "bucket_force_destroy" {
  description = "true: destroy deletes the bucket with all backups."
  type        = bool
  default     = false
}
