package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import java.io.IOException;
import java.util.zip.CRC32;
import org.apache.druid.query.Query;

/**
 * Query as Druid's broker sends it to its data nodes: rewritten by the tool chest, with subqueries inlined. On the wire it is Druid's own
 * serialized form in Smile. Immutable.
 *
 * @param <T> class of the results
 */
public record SegmentQuery<T>(Query<T> query) {
    /** Codec of the parameters of {@link SegmentQueryCalls#RESULTS}. Decoding of anything but a query fails with INVALID_ARGUMENT. */
    static final Codec<SegmentQuery<?>> CODEC = Codecs.of(
            (out, request) -> {
                Bytes encoded = request.encode();
                out.writeBytes(encoded).writeLong(checksum(encoded));
            },
            in -> decode(in.readBytes(), in.readLong()));

    /** Checksum against altered bytes: the mappers do not check their input. */
    private static long checksum(Bytes encoded) {
        CRC32 crc = new CRC32();
        crc.update(encoded.buffer());
        return crc.getValue();
    }

    private Bytes encode() {
        try {
            return Bytes.wrap(DruidServices.get().smile().writeValueAsBytes(query));
        } catch (JsonProcessingException e) {
            // Such as a null in the map of a lookup.
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "query has no serialized form: " + e.getOriginalMessage(), e);
        }
    }

    private static SegmentQuery<?> decode(Bytes bytes, long checksum) {
        if (checksum(bytes) != checksum) {
            throw UniserveException.invalid("the parameters are not a Druid query: their checksum is wrong");
        }
        try {
            return new SegmentQuery<>(DruidServices.get().smile().readValue(bytes.toArray(), Query.class));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the parameters are not a Druid query: " + e.getMessage() + "; send the query to the planner",
                    e);
        }
    }
}
