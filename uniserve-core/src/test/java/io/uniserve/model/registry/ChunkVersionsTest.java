package io.uniserve.model.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ChunkVersions.Entry;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChunkVersionsTest {
    @Test
    void rowsInTheOrderOfTimeKeepOneEntry() {
        ChunkVersions versions = ChunkVersions.NONE;
        for (int version = 1; version < 100; version++) {
            versions = versions.withCommit(version, version / 10, 0);
        }
        assertThat(versions.entries()).containsExactly(new Entry(99, 9));
    }

    @Test
    void anOlderChunkHidesNoNewerOne() {
        ChunkVersions versions = ChunkVersions.NONE
                .withCommit(1, 7, 0)
                .withCommit(2, 9, 0)
                .withCommit(3, 4, 0)
                .withCommit(5, 5, 0);
        assertThat(versions.entries()).containsExactly(new Entry(2, 9), new Entry(5, 5));
        assertThat(versions.newestLive(0)).isEqualTo(5);
        assertThat(versions.newestLive(5)).isEqualTo(5);
        assertThat(versions.newestLive(6)).isEqualTo(2);
        assertThat(versions.newestLive(10)).isZero();
    }

    @Test
    void expiredChunksHaveNoEntry() {
        ChunkVersions versions =
                ChunkVersions.NONE.withCommit(2, 9, 0).withCommit(3, 4, 0).withCommit(5, 3, 0);
        assertThat(versions.withCommit(6, 8, 8).entries()).containsExactly(new Entry(2, 9), new Entry(6, 8));
        assertThat(versions.withoutChunksBefore(4))
                .isEqualTo(new ChunkVersions(versions.entries().subList(0, 2), 4));
        assertThat(versions.withoutChunksBefore(10)).isEqualTo(new ChunkVersions(List.of(), 10));
        assertThat(versions.withoutChunksBefore(10).withoutChunksBefore(2).expiredBefore())
                .as("it never falls")
                .isEqualTo(10);
        assertThat(versions.withCommit(6, 3, 4).entries())
                .as("a chunk that is expired already")
                .containsExactly(new Entry(2, 9), new Entry(3, 4));
    }

    @Test
    void anEncodedListIsEqualToTheOriginal() {
        assertThat(ChunkVersions.NONE.encode()).isEqualTo(Bytes.EMPTY);
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 2_000; round++) {
            ChunkVersions versions = ChunkVersions.NONE;
            long version = 0;
            for (int left = random.nextInt(30); left > 0; left--) {
                version += random.nextLong(1, 1L << random.nextInt(1, 57));
                int chunk = random.nextInt(1 << random.nextInt(1, 31));
                versions = versions.withCommit(version, chunk, random.nextInt(1 << random.nextInt(20)));
            }
            assertThat(ChunkVersions.decode(versions.encode())).isEqualTo(versions);
        }
    }

    @Test
    void damagedBytesAreRejectedOrRead() {
        SplittableRandom random = new SplittableRandom(2);
        byte[] bytes = new byte[12];
        int rejected = 0;
        for (int round = 0; round < 50_000; round++) {
            random.nextBytes(bytes);
            Bytes damaged = Bytes.wrap(bytes.clone()).slice(0, random.nextInt(bytes.length + 1));
            try {
                ChunkVersions read = ChunkVersions.decode(damaged);
                assertThat(ChunkVersions.decode(read.encode())).isEqualTo(read);
            } catch (UniserveException e) {
                assertThat(e.reason()).isNotBlank();
                rejected++;
            }
        }
        assertThat(rejected).isGreaterThan(10_000);
    }

    @Test
    void aListOutOfOrderIsRejected() {
        assertThatThrownBy(() -> new ChunkVersions(List.of(new Entry(2, 5), new Entry(2, 4)), 0))
                .hasMessageContaining("versions must ascend");
        assertThatThrownBy(() -> new ChunkVersions(List.of(new Entry(2, 5), new Entry(3, 5)), 0))
                .hasMessageContaining("chunks descend");
        assertThatThrownBy(() -> new ChunkVersions(List.of(new Entry(2, 5)), 6)).hasMessageContaining("to 6");
        assertThatThrownBy(() -> new ChunkVersions(List.of(), -1)).hasMessageContaining("expiredBefore");
    }
}
