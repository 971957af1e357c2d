package io.uniserve.protocol.replica.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.replica.state.RequestOutcomeTable.Lookup;
import org.junit.jupiter.api.Test;

class RequestOutcomeTableTest {
    private final RequestOutcomeTable table = new RequestOutcomeTable(3, 4);
    private long index;

    private void record(long client, long sequence, long lowWater) {
        RequestId id = new RequestId(0, client, sequence);
        table.record(new LogEntry(LogEntry.Type.UPDATE, 1, ++index, 0, id, lowWater, "f", Bytes.utf8("x" + sequence)));
    }

    private Lookup find(long client, long sequence) {
        return table.find(new RequestId(0, client, sequence), 2);
    }

    @Test
    void knowsWhatWasApplied() {
        record(1, 5, 1);
        assertThat(find(1, 5))
                .isEqualTo(new Lookup.Recorded(1, 1, RequestOutcomeTable.contentHash("f", Bytes.utf8("x5")), ""));
        assertThat(find(1, 6)).isInstanceOf(Lookup.Unknown.class);
        assertThat(find(2, 5)).isInstanceOf(Lookup.Unknown.class);
    }

    @Test
    void keepsRefusalsWhenItIsWrittenAndReadsTablesOfBeforeThereWereAny() {
        record(1, 5, 1);
        BinaryWriter plain = new BinaryWriter();
        table.write(plain);
        LogEntry update =
                new LogEntry(LogEntry.Type.UPDATE, 1, ++index, 0, new RequestId(0, 1, 6), 1, "f", Bytes.utf8("poison"));
        Rejection rejection = Rejection.of(update, new UniserveException(ErrorCode.PORT_FAILED, "cannot"));
        table.record(update.toRefused(rejection.encode()));
        BinaryWriter out = new BinaryWriter();
        table.write(out);
        RequestOutcomeTable read = RequestOutcomeTable.read(new BinaryReader(out.toBytes()));
        assertThat(read.find(new RequestId(0, 1, 6), 2))
                .isEqualTo(new Lookup.Recorded(
                        1, 2, RequestOutcomeTable.contentHash("f", Bytes.utf8("poison")), "PORT_FAILED: cannot"));
        assertThat(read.find(new RequestId(0, 1, 5), 2)).isEqualTo(find(1, 5));
        byte[] bytes = out.toBytes().toArray();
        int head = 5 + 16 + 8 + 4; // flag, clients, client, floor, requests; then 32 bytes per request
        assertThat(plain.toBytes().size()).isEqualTo(head + 32);
        assertThat(bytes.length).isGreaterThan(head + 64);
        assertThat(RequestOutcomeTable.read(new BinaryReader(plain.toBytes())).find(new RequestId(0, 1, 5), 2))
                .isEqualTo(find(1, 5));
    }

    @Test
    void forgetsBelowTheLowWaterMark() {
        record(1, 1, 1);
        record(1, 2, 2);
        assertThat(find(1, 1)).isInstanceOf(Lookup.Expired.class);
        assertThat(find(1, 2)).isInstanceOf(Lookup.Recorded.class);
    }

    @Test
    void forgetsTheOldestOfTooMany() {
        for (int i = 1; i <= 6; i++) {
            record(1, i, 0);
        }
        assertThat(find(1, 2)).isInstanceOf(Lookup.Expired.class);
        assertThat(find(1, 3)).isInstanceOf(Lookup.Recorded.class);
    }

    @Test
    void forgetsTheClientSilentLongest() {
        for (int client = 1; client <= 3; client++) {
            record(client, 1, 0);
        }
        record(1, 2, 0);
        record(4, 1, 0);
        assertThat(find(2, 1)).isInstanceOf(Lookup.Expired.class);
        assertThat(table.find(new RequestId(0, 2, 1), 1)).isInstanceOf(Lookup.Unknown.class);
        assertThat(find(1, 1)).isInstanceOf(Lookup.Recorded.class);
    }

    @Test
    void survivesACheckpoint() {
        record(1, 1, 0);
        record(2, 7, 3);
        BinaryWriter out = new BinaryWriter();
        table.write(out);
        RequestOutcomeTable read = RequestOutcomeTable.read(new BinaryReader(out.toBytes()));
        BinaryWriter again = new BinaryWriter();
        read.write(again);
        assertThat(again.toBytes()).isEqualTo(out.toBytes());
        assertThat(read.find(new RequestId(0, 2, 2), 1)).isInstanceOf(Lookup.Expired.class);
    }
}
