package io.uniserve.runtime.transport.server;

import com.google.protobuf.ByteString;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.proto.DataProto;

/** Reply, or the remaining part of a large one, that waits until its caller has received earlier messages. */
final class QueuedReply {
    private final DataProto.ReadsReply message;
    private final ByteString remaining;

    private QueuedReply(DataProto.ReadsReply message, ByteString left) {
        this.message = message;
        this.remaining = left;
    }

    static QueuedReply of(DataProto.ReadsReply whole) {
        return whole.getReply().getSerializedSize() <= Limits.READ_REPLY_PIECE_BYTES
                ? new QueuedReply(whole, ByteString.EMPTY)
                : piece(whole.getId(), whole.getReply().toByteString());
    }

    private static QueuedReply piece(long id, ByteString bytes) {
        int size = Math.min(bytes.size(), Limits.READ_REPLY_PIECE_BYTES);
        DataProto.ReadsReply message = DataProto.ReadsReply.newBuilder()
                .setId(id)
                .setPiece(bytes.substring(0, size))
                .setMore(size < bytes.size())
                .build();
        return new QueuedReply(message, bytes.substring(size));
    }

    long id() {
        return message.getId();
    }

    /** Next message to send. */
    DataProto.ReadsReply message() {
        return message;
    }

    /** True if more messages follow it. */
    boolean hasMore() {
        return message.getMore();
    }

    /** Remaining part after the next message. */
    QueuedReply afterNext() {
        return piece(message.getId(), remaining);
    }

    long bytes() {
        return message.getSerializedSize() + (long) remaining.size();
    }
}
