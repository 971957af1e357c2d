package io.uniserve.protocol.exchange;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * A gather's partial value with statistics.
 *
 * @param rows rows in the input chunks
 * @param bytes size of the input chunks as stored
 * @param sentBytes the part of it that came from other servers; a chunk for several slots of a server counts once
 * @param spilledBytes the part of those that was written to files
 * @param servers servers where the gather ran
 */
public record GatherResult<V>(V value, long rows, long bytes, long sentBytes, long spilledBytes, Set<String> servers) {
    public GatherResult {
        servers = Collections.unmodifiableSet(new TreeSet<>(servers));
    }

    /** The codec for values of this codec. */
    public static <V> Codec<GatherResult<V>> codec(Codec<V> values) {
        return Codecs.of((out, gatherResult) -> gatherResult.write(out, values), in -> read(in, values));
    }

    /** The sum of two results, with the merged value. */
    public GatherResult<V> plus(GatherResult<V> other, V merged) {
        Set<String> all = new TreeSet<>(servers);
        all.addAll(other.servers);
        return new GatherResult<>(
                merged,
                rows + other.rows,
                bytes + other.bytes,
                sentBytes + other.sentBytes,
                spilledBytes + other.spilledBytes,
                all);
    }

    private void write(BinaryWriter out, Codec<V> values) {
        values.write(out, value);
        out.writeLong(rows).writeLong(bytes).writeLong(sentBytes).writeLong(spilledBytes);
        out.writeInt(servers.size());
        servers.forEach(out::writeString);
    }

    private static <V> GatherResult<V> read(BinaryReader in, Codec<V> values) {
        V value = values.read(in);
        long rows = in.readLong();
        long bytes = in.readLong();
        long sent = in.readLong();
        long spilled = in.readLong();
        Set<String> servers = new TreeSet<>();
        for (int left = in.readCount(4); left > 0; left--) {
            servers.add(in.readString());
        }
        return new GatherResult<>(value, rows, bytes, sent, spilled, servers);
    }
}
