# Durable storage: the servers' backups and shipped logs.
resource "aws_s3_bucket" "store" {
  bucket_prefix = "${var.name}-uniserve-"
  force_destroy = var.bucket_force_destroy
}

resource "aws_s3_bucket_public_access_block" "store" {
  bucket                  = aws_s3_bucket.store.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "store" {
  bucket = aws_s3_bucket.store.id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

# Uniserve deletes what it no longer needs. Only uploads whose server died remain.
resource "aws_s3_bucket_lifecycle_configuration" "store" {
  bucket = aws_s3_bucket.store.id
  rule {
    id     = "unfinished-uploads"
    status = "Enabled"
    filter {}
    abort_incomplete_multipart_upload {
      days_after_initiation = 2
    }
  }
}

# Only encrypted connections.
resource "aws_s3_bucket_policy" "store" {
  bucket     = aws_s3_bucket.store.id
  depends_on = [aws_s3_bucket_public_access_block.store]
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "EncryptedConnections"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.store.arn, "${aws_s3_bucket.store.arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })
}
