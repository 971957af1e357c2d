package io.uniserve.server.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuerySnapshotTest {
    private static final TableName T = new TableName("t");
    private static final Optional<List<Integer>> ALL = Optional.empty();
    private static final long SECOND = 1_000_000_000L;

    private long newest = 5;
    private int settled;
    private final QuerySnapshot moments = new QuerySnapshot(ReadMode.LINEARIZABLE, tables -> {
        settled++;
        return AtomicTablesSnapshot.of(T, 1, newest);
    });

    QuerySnapshotTest() {
        moments.request(List.of(T));
    }

    private static SnapshotReadExecution.Result seen(long version) {
        return new SnapshotReadExecution.Result(1, version, List.of(), 1, new QueryResult.Stats(1, 0, 0, Set.of()), 0);
    }

    private long version(Optional<List<Integer>> actors) {
        return moments.forRead(actors).orElseThrow().table(T).orElseThrow().version();
    }

    @Test
    void theFirstReadOfAllActorsIsTheMoment() {
        assertThat(moments.forRead(ALL)).isEmpty();
        moments.recordFirstRead(T, ALL, seen(4));
        assertThat(version(ALL)).isEqualTo(4);
        assertThat(version(Optional.of(List.of(2)))).isEqualTo(4);
        assertThat(settled).isZero();
    }

    @Test
    void whatSomeActorsSawIsNotWhatOthersAreAskedFor() {
        assertThat(moments.forRead(Optional.of(List.of(0, 1)))).isEmpty();
        moments.recordFirstRead(T, Optional.of(List.of(0, 1)), seen(4));
        assertThat(version(Optional.of(List.of(1)))).isEqualTo(4);
        assertThat(settled).isZero();
        // An update of another actor may be acknowledged, and unknown at these actors.
        assertThatThrownBy(() -> version(Optional.of(List.of(1, 2))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_GONE));
        moments.discard();
        assertThat(version(Optional.of(List.of(0)))).as("settled first now").isEqualTo(5);
        assertThat(version(ALL)).isEqualTo(5);
        assertThat(settled).isEqualTo(2);
    }

    @Test
    void theSameVersionOfAllIsGoneOnWith() {
        moments.recordFirstRead(T, Optional.of(List.of(0)), seen(5));
        assertThat(version(ALL)).isEqualTo(5);
        newest = 6;
        assertThat(version(ALL)).isEqualTo(5);
    }

    @Test
    void theFirstUpdateBetweenRoundsBeginsAnew() {
        moments.recordFirstRead(T, ALL, seen(0));
        assertThatThrownBy(moments::forAllActors).isInstanceOf(UniserveException.class);
    }

    @Test
    void onlyTablesOfAMomentAreLimited() {
        List<TableName> many = IntStream.rangeClosed(0, Limits.CUT_TABLES_MAX)
                .mapToObj(number -> new TableName("t" + number))
                .toList();
        assertThatThrownBy(() -> moments.request(many))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
        QuerySnapshot stale = new QuerySnapshot(ReadMode.STALE, tables -> {
            throw new AssertionError("a moment of " + tables);
        });
        stale.request(many);
        assertThat(stale.isRequested()).isFalse();
    }

    @Test
    void aLongPlanBeginsAnewLessOftenAndNotInVain() {
        assertThat(QuerySnapshot.mayRestart(Limits.PLAN_MOMENTS_MAX - 1, SECOND / 100, 10 * SECOND))
                .isTrue();
        assertThat(QuerySnapshot.mayRestart(Limits.PLAN_MOMENTS_MAX, SECOND / 100, 10 * SECOND))
                .isFalse();
        assertThat(QuerySnapshot.mayRestart(Limits.VERSION_RESTARTS_MAX, 2 * SECOND, 100 * SECOND))
                .isFalse();
        assertThat(QuerySnapshot.mayRestart(0, 2 * SECOND, 100 * SECOND)).isTrue();
        assertThat(QuerySnapshot.mayRestart(0, 2 * SECOND, 2 * SECOND)).isFalse();
    }
}
