package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.RequestId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client's rows for one actor in an atomic update; a PREPARE entry of the log carries a list of them.
 *
 * @param function {@code name@version}
 * @param rows a count, then each row by its codec; none where they are staged
 * @param staged on the way from a driver, the rows that the actor's primary has already; never in a log
 */
public record BatchRows(
        RequestId request,
        String function,
        Bytes rows,
        @Nullable StagedRowsRef staged) {
    /** Request id and two lengths. */
    private static final int HEAD_BYTES = 32;

    /** The rows of a PREPARE entry. */
    public static final Codec<List<BatchRows>> LIST = Codecs.list(Codecs.of(
            (out, batch) -> {
                if (batch.staged != null) {
                    throw new IllegalArgumentException("rows that are staged elsewhere");
                }
                out.writeLong(batch.request.clientHigh()).writeLong(batch.request.clientLow());
                out.writeLong(batch.request.sequence());
                out.writeString(batch.function).writeBytes(batch.rows);
            },
            in -> new BatchRows(
                    new RequestId(in.readLong(), in.readLong(), in.readLong()), in.readString(), in.readBytes())));

    /** Rows that are here. */
    public BatchRows(RequestId request, String function, Bytes rows) {
        this(request, function, rows, null);
    }

    /** The bytes of {@link #LIST}, whose rows are copied once. */
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
