/**
 * Durable storage in a bucket of S3 or of a store with its interface. Objects are immutable, their keys are used once, and a put never
 * replaces another writer's object.
 */
@NullMarked
package io.uniserve.aws.s3;

import org.jspecify.annotations.NullMarked;
