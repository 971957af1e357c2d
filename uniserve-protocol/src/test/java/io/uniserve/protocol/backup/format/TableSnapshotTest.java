package io.uniserve.protocol.backup.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Manifests of tables with a fixed set of actors, and of TIME tables, whose manifests name the actors. */
class TableSnapshotTest {
    private static final Partitioner.Time DAYS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
            2,
            Optional.of(IsoPeriod.parse("retention", "P3D")),
            IsoPeriod.parse("ahead", "P1D"));
    private static final TableSnapshot.Part PART = new TableSnapshot.Part("0".repeat(64), 5, 7);

    private static TableSnapshot of(Partitioner partitioner, TableSnapshot.Actors actors, int parts) {
        TableMeta meta = new TableMeta(
                new TableName("t"), 7, partitioner, "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
        return new TableSnapshot(
                new BackupName("b"),
                "0".repeat(16),
                "c",
                meta,
                0,
                0,
                actors,
                parts < 0
                        ? Optional.empty()
                        : Optional.of(List.of(PART, PART, PART, PART).subList(0, parts)));
    }

    private static TableSnapshot time(int expiredBefore, int parts, Integer... actors) {
        return of(DAYS, new TableSnapshot.Actors(List.of(actors), expiredBefore), parts);
    }

    private static void assertCorrupt(TableSnapshot snapshot, String why) {
        assertThatThrownBy(() -> TableSnapshot.decode(snapshot.encode()))
                .isInstanceOfSatisfying(UniserveException.class, error -> {
                    assertThat(error.code()).isEqualTo(ErrorCode.CORRUPT);
                    assertThat(error.reason()).contains(why);
                });
    }

    @Test
    void manifestsAreReadAsTheyWereWritten() {
        TableSnapshot fixed = of(new Partitioner.Hash(2), new TableSnapshot.Actors(List.of(0, 1), 0), 2);
        for (TableSnapshot snapshot : List.of(
                fixed,
                of(new Partitioner.Hash(2), fixed.actors(), -1),
                time(3, 4, 10, 11, 20, 21),
                time(3, -1, 10, 11),
                time(0, 0),
                time(0, -1))) {
            TableSnapshot read = TableSnapshot.decode(snapshot.encode());
            assertThat(read).isEqualTo(snapshot);
            assertThat(read.isComplete()).isEqualTo(snapshot.parts().isPresent());
        }
    }

    @Test
    void aManifestWithoutWholeLiveChunksIsCorrupt() {
        assertCorrupt(time(0, -1, 10), "whole chunks");
        assertCorrupt(time(0, -1, 11, 12), "in its place");
        assertCorrupt(time(0, -1, 10, 12), "in its place");
        assertCorrupt(time(0, -1, 20, 21, 10, 11), "in its place");
        assertCorrupt(time(0, -1, 10, 11, 10, 11), "in its place");
        assertCorrupt(time(0, -1, -2, -1), "in its place");
        assertCorrupt(time(0, -1, Integer.MAX_VALUE - 1, Integer.MAX_VALUE), "in its place");
        assertCorrupt(time(6, -1, 10, 11), "expired");
        assertCorrupt(time(-1, -1), "expired");
        assertCorrupt(time(0, 3, 10, 11, 20, 21), "3 parts");
    }

    @Test
    void damagedBytesAreCorrupt() {
        byte[] whole = time(3, 4, 10, 11, 20, 21).encode().toArray();
        for (int length = 0; length < whole.length; length++) {
            Bytes cut = Bytes.wrap(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> TableSnapshot.decode(cut))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            error -> assertThat(error.code()).isEqualTo(ErrorCode.CORRUPT));
        }
    }

    @Test
    void expiredChunksAreLeftOutWithTheWatermarkAboveThem() {
        int day = DAYS.chunks().ordinalOf(1_700_000_000_000L);
        TableSnapshot whole = time(2, 4, 2 * day, 2 * day + 1, 2 * day + 4, 2 * day + 5);
        long expiry = DAYS.expiryOf(day).orElseThrow();
        assertThat(whole.liveAt(expiry - 1)).isEqualTo(whole);
        assertThat(whole.liveAt(expiry)).isEqualTo(time(day + 1, 2, 2 * day + 4, 2 * day + 5));
        assertThat(whole.liveAt(2 * expiry)).isEqualTo(time(day + 3, 0));
    }

    /** Daylight saving moves 02:45 of the next day to 03:45, so the chunk until then expires after its successors. */
    @Test
    void chunksEndInTheirOrderAcrossADaylightSavingGap() {
        Partitioner.Time quarters = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "PT15M"), ZoneId.of("Europe/Rome")),
                1,
                Optional.of(IsoPeriod.parse("retention", "P1D")),
                IsoPeriod.parse("ahead", "P1D"));
        int first = quarters.chunks()
                        .ordinalOf(Instant.parse("2024-03-30T01:15:00Z").toEpochMilli())
                - 1;
        List<Integer> ordinals = List.of(first, first + 2, first + 3, first + 4);
        TableSnapshot whole = of(quarters, new TableSnapshot.Actors(ordinals, 0), 4);
        TableSnapshot live = whole.liveAt(Instant.parse("2024-03-31T01:20:00Z").toEpochMilli());
        assertThat(live.actors().numbers()).containsExactly(first + 2, first + 3, first + 4);
        assertThat(whole.liveAt(Instant.parse("2024-03-31T01:46:00Z").toEpochMilli())
                        .actors()
                        .numbers())
                .isEmpty();
    }

    @Test
    void oneActorsManifestHasItsChunk() {
        TableSnapshot one = time(2, 4, 10, 11, 20, 21).forActor(21);
        assertThat(one).isEqualTo(time(2, 2, 20, 21));
        assertThat(one.pin(21).key().actor()).isEqualTo(21);
        assertThatThrownBy(() -> one.pin(10)).hasMessageContaining("no part of actor 10");
    }

    @Test
    void actorsWithLogsOrCheckpointsAreStored() {
        List<String> keys = List.of(
                "backup/c/7/10/log/00000000000000000001-00000000000000000002-00000000000000000001",
                "backup/c/7/11/checkpoint/x/y",
                "backup/c/7/12/pin/x",
                "backup/c/7/9999999999/log/x",
                "backup/c/7/013/log/x",
                "backup/c/71/14/log/x");
        StoredActors found = StoredActors.among(keys, "c", 7);
        assertThat(found.numbers()).containsExactly(10, 11);
        assertThat(StoredActors.decode(found.encode())).isEqualTo(found);
    }
}
