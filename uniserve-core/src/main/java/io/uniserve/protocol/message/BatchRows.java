package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.RequestId;
import java.util.List;

/**
 * One client's rows for one actor in an atomic update; a PREPARE entry of the log carries a list of them.
 *
 * @param function {@code name@version}
 * @param rows a count, then each row by its codec
 */
public record BatchRows(RequestId request, String function, Bytes rows) {
    /** The rows of a PREPARE entry. */
    public static final Codec<List<BatchRows>> LIST = Codecs.list(Codecs.of(
            (out, batch) -> {
                out.writeLong(batch.request.clientHigh()).writeLong(batch.request.clientLow());
                out.writeLong(batch.request.sequence());
                out.writeString(batch.function).writeBytes(batch.rows);
            },
            in -> new BatchRows(
                    new RequestId(in.readLong(), in.readLong(), in.readLong()), in.readString(), in.readBytes())));
}
