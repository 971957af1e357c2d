package io.uniserve.protocol.backup.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.protocol.backup.format.ShippedVersions.Commit;
import io.uniserve.protocol.message.VersionParticipants;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShippedVersionsTest {
    private static final Partitioner HASH = new Partitioner.Hash(3);
    private static final Partitioner.Time TIME = ShippedHistory.TIME;

    private static ShippedVersions shipped(long covered, Commit... commits) {
        long newest = commits.length == 0 ? covered : commits[commits.length - 1].version();
        return new ShippedVersions(1 + 2 * commits.length, newest, covered, List.of(commits));
    }

    private static Commit commit(long version, long previous, ChunkVersions earlier, Integer... actors) {
        return new Commit(version, previous, VersionParticipants.named(List.of(actors), earlier));
    }

    /** Number of the first actor of the chunk at this place. */
    private static int chunk(int place) {
        return TIME.firstActor(place);
    }

    @Test
    void aTableByKeyCountsParticipants() {
        ShippedVersions both = shipped(0, new Commit(1, 0, 2), new Commit(3, 1, 1));
        assertThat(ShippedVersions.newestOfAll(HASH, 0, Map.of(0, both, 1, shipped(0, new Commit(1, 0, 2)))))
                .isEqualTo(3);
        assertThat(ShippedVersions.newestOfAll(HASH, 0, Map.of(0, both, 1, shipped(0))))
                .as("actor 1 lacks version 1")
                .isZero();
        assertThat(ShippedVersions.newestOfAll(
                        HASH, 0, Map.of(0, shipped(0, new Commit(1, 0, 1), new Commit(4, 3, 1)))))
                .as("no actor has version 3")
                .isEqualTo(1);
    }

    @Test
    void participantsOfExpiredChunksDoNotCount() {
        Commit both = commit(1, 0, ChunkVersions.NONE, chunk(4), chunk(6));
        Map<Integer, ShippedVersions> stored = Map.of(chunk(6), shipped(0, both));
        assertThat(ShippedVersions.newestOfAll(TIME, 5, stored)).isEqualTo(1);
        assertThat(ShippedVersions.newestOfAll(TIME, 4, stored))
                .as("chunk 4 is live, and storage has nothing of it")
                .isZero();
    }

    @Test
    void aVersionOfExpiredChunksIsNoGap() {
        ChunkVersions earlier = ChunkVersions.NONE.withCommit(1, 6, 0).withCommit(2, 4, 0);
        Map<Integer, ShippedVersions> stored = Map.of(
                chunk(6), shipped(0, commit(1, 0, ChunkVersions.NONE, chunk(6)), commit(3, 2, earlier, chunk(6))));
        assertThat(ShippedVersions.newestOfAll(TIME, 5, stored)).isEqualTo(3);
        assertThat(ShippedVersions.newestOfAll(TIME, 4, stored)).isEqualTo(1);
    }

    @Test
    void aLostVersionBeforeOneOfExpiredChunksIsAGap() {
        ChunkVersions earlier =
                ChunkVersions.NONE.withCommit(1, 6, 0).withCommit(2, 7, 0).withCommit(3, 4, 0);
        Map<Integer, ShippedVersions> stored = Map.of(
                chunk(6), shipped(0, commit(1, 0, ChunkVersions.NONE, chunk(6)), commit(4, 3, earlier, chunk(6))));
        assertThat(ShippedVersions.newestOfAll(TIME, 5, stored))
                .as("version 3 is of expired chunks, but version 2 is lost")
                .isEqualTo(1);
    }

    @Test
    void theStoredLogsShowWhichChunksWereExpired() {
        ShippedVersions stored = shipped(
                0,
                commit(1, 0, ChunkVersions.NONE.withoutChunksBefore(5), chunk(6)),
                commit(2, 1, ChunkVersions.NONE.withoutChunksBefore(3), chunk(6)));
        assertThat(stored.expiredBefore()).isEqualTo(5);
        assertThat(shipped(7, new Commit(8, 7, 1)).expiredBefore()).isZero();
    }

    @Test
    void theRestorePointIsThatOfAModelThatKnowsAllVersions() {
        int later = 0;
        int vacuous = 0;
        for (int seed = 0; seed < 4_000; seed++) {
            ShippedHistory history = new ShippedHistory(seed);
            long found = ShippedVersions.newestOfAll(TIME, history.expiredBefore(), history.stored());
            long model = history.newestComplete();
            assertThat(found).as("seed %d", seed).isLessThanOrEqualTo(model);
            assertThat(history.newestWithLiveRows(model))
                    .as("seed %d: the point is %d, versions up to %d are complete", seed, found, model)
                    .isLessThanOrEqualTo(found);
            later += model < history.committed() ? 1 : 0;
            vacuous += history.hasMissingVersionOfExpiredChunks(found) ? 1 : 0;
        }
        assertThat(later).as("histories with lost versions").isGreaterThan(500);
        assertThat(vacuous).as("histories with versions of expired chunks only").isGreaterThan(200);
    }

    @Test
    void anEncodedSurveyIsEqualToTheOriginal() {
        ShippedVersions counted = shipped(2, new Commit(3, 2, 2), new Commit(9, 3, 1));
        assertThat(ShippedVersions.decode(counted.encode())).isEqualTo(counted);
        for (int seed = 0; seed < 100; seed++) {
            for (ShippedVersions named : new ShippedHistory(seed).stored().values()) {
                assertThat(ShippedVersions.decode(named.encode())).isEqualTo(named);
            }
        }
    }

    @Test
    void theSurveyOfATableByKeyHasItsFormerFormat() {
        BinaryWriter former = new BinaryWriter();
        former.writeInt(2).writeLong(3).writeLong(3).writeLong(2).writeInt(1);
        former.writeLong(3).writeLong(2).writeInt(2);
        ShippedVersions counted = shipped(2, new Commit(3, 2, 2));
        assertThat(counted.encode()).isEqualTo(former.toBytes());
    }

    @Test
    void damagedSurveysAreCorrupt() {
        SplittableRandom random = new SplittableRandom(3);
        int rejected = 0;
        for (int round = 0; round < 20_000; round++) {
            ShippedVersions survey =
                    new ShippedHistory(round % 50).stored().values().iterator().next();
            byte[] bytes = survey.encode().toArray();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            int size = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length);
            try {
                ShippedVersions.decode(Bytes.wrap(Arrays.copyOf(bytes, size)));
            } catch (UniserveException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT);
                rejected++;
            }
        }
        assertThat(rejected).isGreaterThan(5_000);
    }

    @Test
    void actorNumbersAreThoseOfWholeChunks() {
        assertThat(IntStream.range(0, 4).map(TIME::ordinalOf)).containsExactly(0, 0, 1, 1);
    }
}
