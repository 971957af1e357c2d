package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.client.StagedRowsRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client request's rows for one actor in an atomic update. A PREPARE entry of the log has a list of them.
 *
 * @param function {@code name@version}
 * @param rows a count, then each row by its codec; empty if the rows are staged
 * @param staged reference to rows that the actor's primary already has; null if the rows are here. In requests of a manager only, never in
 *     a log
 */
public record BatchRows(
        RequestId request,
        String function,
        Bytes rows,
        @Nullable StagedRowsRef staged) {
    /** Size of request id and two lengths. */
    private static final int HEAD_BYTES = 32;

    /** The rows of a PREPARE entry. */
    public static final Codec<List<BatchRows>> LIST = Codecs.list(Codecs.of(
            (out, batch) -> {
                if (batch.staged != null) {
                    throw new IllegalArgumentException("staged rows cannot be in a log");
                }
                out.writeLong(batch.request.clientHigh()).writeLong(batch.request.clientLow());
                out.writeLong(batch.request.sequence());
                out.writeString(batch.function).writeBytes(batch.rows);
            },
            in -> new BatchRows(
                    new RequestId(in.readLong(), in.readLong(), in.readLong()), in.readString(), in.readBytes())));

    /** Rows that are not staged. */
    public BatchRows(RequestId request, String function, Bytes rows) {
        this(request, function, rows, null);
    }

    /** Encodes like {@link #LIST}, but copies the rows only once. */
    public static Bytes encode(List<BatchRows> batches) {
        int size = Integer.BYTES;
        for (BatchRows batch : batches) {
            size += HEAD_BYTES + 3 * batch.function.length() + batch.rows.size();
        }
        BinaryWriter out = new BinaryWriter(size);
        LIST.write(out, batches);
        return out.finish();
    }
}
