package io.uniserve.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.ChunkVersions;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class VersionParticipantsTest {
    private static final ChunkVersions EARLIER =
            ChunkVersions.NONE.withCommit(3, 500, 4).withCommit(8, 70, 4).withCommit(9, 6, 4);
    private static final VersionParticipants NAMED = VersionParticipants.named(List.of(12, 13, 4_000), EARLIER);
    private static final List<BatchRows> BATCHES = List.of(
            new BatchRows(new RequestId(1, 2, 3), "put@1", Bytes.utf8("a")),
            new BatchRows(new RequestId(1, 2, 4), "put@1", Bytes.EMPTY));

    private static VersionParticipants copy(VersionParticipants participants) {
        BinaryWriter out = new BinaryWriter();
        participants.write(out);
        BinaryReader in = new BinaryReader(out.toBytes());
        VersionParticipants read = VersionParticipants.read(in);
        in.expectEnd();
        return read;
    }

    @Test
    void writtenParticipantsAreEqualToTheOriginal() {
        assertThat(copy(NAMED)).isEqualTo(NAMED);
        assertThat(copy(VersionParticipants.counted(7))).isEqualTo(VersionParticipants.counted(7));
        assertThat(copy(VersionParticipants.named(List.of(), ChunkVersions.NONE))
                        .count())
                .isZero();
    }

    @Test
    void aPrepareEntryHasTheParticipantsAndTheRows() {
        Bytes rows = BatchRows.encode(BATCHES);
        LogEntry named = LogEntry.prepare(1, 2, 10, 9, NAMED, rows);
        assertThat(named.participants()).isEqualTo(NAMED);
        assertThat(named.batches()).isEqualTo(BATCHES);
        LogEntry counted = LogEntry.prepare(1, 2, 10, 9, 3, rows);
        assertThat(counted.rows()).as("as before in a table by key").isEqualTo(rows);
        assertThat(counted.function()).isEqualTo("3");
        assertThat(counted.participants()).isEqualTo(VersionParticipants.counted(3));
        assertThat(counted.batches()).isEqualTo(BATCHES);
        assertThat(LogEntry.decide(1, 3, 10, true).participants()).isEqualTo(VersionParticipants.UNKNOWN);
    }

    @Test
    void damagedParticipantsAreCorrupt() {
        LogEntry named = LogEntry.prepare(1, 2, 10, 9, NAMED, BatchRows.encode(BATCHES));
        SplittableRandom random = new SplittableRandom(4);
        int rejected = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = named.rows().toArray();
            bytes[random.nextInt(30)] ^= (byte) (1 << random.nextInt(8));
            int size = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length);
            LogEntry damaged =
                    new LogEntry(named.type(), 1, 2, 10, null, 9, named.function(), Bytes.wrap(bytes, 0, size));
            try {
                damaged.participants();
            } catch (UniserveException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT);
                rejected++;
            }
        }
        assertThat(rejected).isGreaterThan(5_000);
    }

    @Test
    void numbersMustAscendAndMatchTheCount() {
        Optional<VersionParticipants.Chunks> one = Optional.of(new VersionParticipants.Chunks(List.of(1), EARLIER));
        assertThatThrownBy(() -> VersionParticipants.named(List.of(4, 4), EARLIER))
                .hasMessageContaining("participant 4 at place 1");
        assertThatThrownBy(() -> VersionParticipants.named(List.of(-1), EARLIER))
                .hasMessageContaining("ascend from 0");
        assertThatThrownBy(() -> new VersionParticipants(2, one)).hasMessageContaining("count is 2");
    }
}
