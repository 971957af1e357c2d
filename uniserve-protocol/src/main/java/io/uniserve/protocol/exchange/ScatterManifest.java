package io.uniserve.protocol.exchange;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.Address;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.List;

/**
 * A scatter's result: the location of a run's chunks, and the end marker of each.
 *
 * @param server server that stores the chunks
 * @param chunks end markers by slot
 * @param spilledBytes size of the chunks in files
 */
public record ScatterManifest(Address server, ScatterRunId output, List<ChunkInfo> chunks, long spilledBytes) {
    public static final Codec<ScatterManifest> CODEC =
            Codecs.of((out, scatterManifest) -> scatterManifest.write(out), ScatterManifest::read);

    public ScatterManifest {
        chunks = List.copyOf(chunks);
    }

    private void write(BinaryWriter out) {
        out.writeString(server.host()).writeInt(server.port());
        output.write(out);
        out.writeInt(chunks.size());
        chunks.forEach(chunk -> chunk.write(out));
        out.writeLong(spilledBytes);
    }

    private static ScatterManifest read(BinaryReader in) {
        Address server = new Address(in.readString(), in.readInt());
        ScatterRunId scatterOutput = ScatterRunId.read(in);
        int count = in.readCount(16);
        List<ChunkInfo> chunks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            chunks.add(ChunkInfo.read(in));
        }
        return new ScatterManifest(server, scatterOutput, chunks, in.readLong());
    }

    /** Decodes an operator's value. */
    static ScatterManifest of(Bytes value) {
        return CODEC.decode(value);
    }

    long rows() {
        return chunks.stream().mapToLong(ChunkInfo::rows).sum();
    }

    long bytes() {
        return chunks.stream().mapToLong(ChunkInfo::bytes).sum();
    }
}
