package io.uniserve.protocol.replica.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import org.junit.jupiter.api.Test;

/** Formats of a replica's state file: the oldest one that has everything is written, and a later one is rejected by its number. */
class StateFormatTest {
    private static final PersistentState STATE =
            PersistentState.empty(new TableName("pairs"), new ReplicaKey(1, 2)).withInstalledEpoch(7);

    private static int format(PersistentState state) {
        return new BinaryReader(PersistentState.Sealed.open(state.encode(), "state file")).readInt();
    }

    @Test
    void aStateWithoutAHashHasTheFormatThatAnOlderServerReads() {
        assertThat(format(STATE)).isEqualTo(2);
        assertThat(PersistentState.decode(STATE.encode())).isEqualTo(STATE);
        PersistentState hashed = STATE.withBaseHash(0, 99);
        assertThat(format(hashed)).isEqualTo(3);
        assertThat(PersistentState.decode(hashed.encode())).isEqualTo(hashed);
    }

    @Test
    void aLaterFormatIsRejected() {
        Bytes later =
                PersistentState.Sealed.seal(new BinaryWriter(4).writeInt(4).toBytes());
        assertThatThrownBy(() -> PersistentState.decode(later))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("state file has format 4, this version reads 3");
    }
}
