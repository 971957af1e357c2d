package io.uniserve.model;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Partition key of a row: bytes for hash partitioning and, for a number, its value for range partitioning. A number and its text are
 * different keys.
 */
public sealed interface PartitionKey {
    /** The bytes that are hashed. */
    Bytes bytes();

    static PartitionKey of(long number) {
        return new Number(number);
    }

    static PartitionKey of(String text) {
        return new Text(text);
    }

    /** Whole number, any long. */
    record Number(long value) implements PartitionKey {
        @Override
        public Bytes bytes() {
            return Bytes.wrap(ByteBuffer.allocate(8).putLong(value).array());
        }
    }

    /** Text of 1 to {@link Limits#KEY_BYTES_MAX} bytes of UTF-8. */
    record Text(String value) implements PartitionKey {
        public Text {
            CodePoints.checked(ErrorCode.INVALID_ROW, "partition key", value);
            int size = value.getBytes(StandardCharsets.UTF_8).length;
            if (size == 0) {
                throw new UniserveException(ErrorCode.INVALID_ROW, "partition key is empty; give every row a key");
            }
            if (size > Limits.KEY_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW, "partition key has " + size + " bytes, at most " + Limits.KEY_BYTES_MAX);
            }
        }

        @Override
        public Bytes bytes() {
            return Bytes.utf8(value);
        }
    }
}
