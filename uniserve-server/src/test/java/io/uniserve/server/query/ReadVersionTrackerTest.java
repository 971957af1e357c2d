package io.uniserve.server.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadVersionTrackerTest {
    private static final TableName T = new TableName("t");
    private static final TableName OTHER = new TableName("other");

    private final ReadVersionTracker versions = new ReadVersionTracker();

    private static SnapshotReadExecution.Result of(long tableId, long version) {
        return new SnapshotReadExecution.Result(
                tableId, version, List.of(), 1, new QueryResult.Stats(1, 0, 0, Set.of()), 0);
    }

    @Test
    void laterRoundsAskForTheVersionOfThatTable() {
        versions.recordResult(T, of(7, 5));
        assertThat(versions.version(T)).isEqualTo(5);
        assertThat(versions.tableId(T))
                .as("not another table that has the name by then")
                .isEqualTo(7);
        assertThat(versions.version(OTHER)).isZero();
        assertThat(versions.tableId(OTHER)).isZero();
    }

    @Test
    void aTableThatHadNoVersionMustNotGetOneBetweenRounds() {
        versions.recordResult(T, of(7, 0));
        versions.recordResult(T, of(7, 0));
        assertThat(versions.tableId(T)).isEqualTo(7);
        assertThatThrownBy(() -> versions.recordResult(T, of(7, 1)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_GONE));
    }

    /** The version of some actors does not cover updates that other actors have acknowledged since. */
    @Test
    void laterRoundsAskNoActorThatTheFirstOneDidNot() {
        versions.recordActors(T, List.of(0, 1, 2));
        versions.recordActors(T, List.of(2, 1));
        versions.recordActors(OTHER, List.of(3));
        assertThatThrownBy(() -> versions.recordActors(T, List.of(1, 3)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
        versions.discard();
        versions.recordActors(T, List.of(3));
    }

    @Test
    void theNextAttemptSeesWhatThereIsThen() {
        versions.recordResult(T, of(7, 0));
        versions.discard();
        versions.recordResult(T, of(8, 2));
        assertThat(versions.version(T)).isEqualTo(2);
        assertThat(versions.tableId(T)).isEqualTo(8);
    }
}
