package io.uniserve.protocol.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkCompressorTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 512, 100_000})
    void whatIsPackedIsUnpacked(int size) {
        byte[] random = new byte[size];
        new Random(size).nextBytes(random);
        byte[] text = Bytes.utf8("the same again, ".repeat(size / 16 + 1)).toArray();
        for (byte[] chunk : new byte[][] {random, text}) {
            Bytes packed = ChunkCompressor.pack(Bytes.wrap(chunk));
            assertThat(ChunkCompressor.unpack(packed).toArray()).isEqualTo(chunk);
            assertThat(packed.size()).isLessThanOrEqualTo(chunk.length + ChunkCompressor.HEADER_BYTES);
        }
        if (size >= 512) {
            assertThat(ChunkCompressor.pack(Bytes.wrap(text)).size()).isLessThan(text.length / 4);
            assertThat(ChunkCompressor.pack(Bytes.wrap(random)).size()).isEqualTo(size + ChunkCompressor.HEADER_BYTES);
        }
    }

    @Test
    void whatIsNoChunkIsCorrupt() {
        Bytes packed = ChunkCompressor.pack(Bytes.utf8("the same again, ".repeat(100)));
        byte[] bytes = packed.toArray();
        for (int cut = 0; cut < bytes.length; cut++) {
            Bytes shorter = packed.slice(0, cut);
            assertThatThrownBy(() -> ChunkCompressor.unpack(shorter)).hasMessageContaining("not a packed");
        }
        for (int at : new int[] {0, 1, 4}) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 0x7f;
            assertThatThrownBy(() -> ChunkCompressor.unpack(Bytes.wrap(damaged)))
                    .hasMessageContaining("not a packed");
        }
    }

    @Test
    void oneThatIsTooLargeIsRefused() {
        Bytes large = Bytes.wrap(new byte[Limits.CHUNK_BYTES_MAX + 1]);
        assertThatThrownBy(() -> ChunkCompressor.pack(large))
                .hasMessageContaining(
                        "TOO_LARGE: a chunk of 67108865 bytes, at most 67108864: scatter into more slots");
    }
}
