package io.uniserve.server.read.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.RunningQuery.State;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RunningQueryRegistryTest {
    private static final long SECOND = 1_000_000_000;

    private long now = SECOND;
    private final RunningQueryRegistry queries = new RunningQueryRegistry(() -> now, -1);
    private final AtomicInteger cancels = new AtomicInteger();

    private List<State> states() {
        return queries.list().stream().map(RunningQuery::state).toList();
    }

    @Test
    void theyAreListedLongestFirstUntilTheyEnd() {
        RunningQueryRegistry.Entry first =
                queries.add(new FairShareKey("t", "c"), "op@1", until(100 * SECOND), cancels::incrementAndGet);
        now += SECOND;
        RunningQueryRegistry.Entry second =
                queries.add(new FairShareKey("u", ""), "plan", until(100 * SECOND), cancels::incrementAndGet);
        second.markStarted();
        assertThat(queries.list()).extracting(RunningQuery::table).containsExactly("t", "u");
        assertThat(queries.list())
                .extracting(RunningQuery::id)
                .doesNotContain(0L)
                .doesNotHaveDuplicates();
        assertThat(queries.list().get(0).runningNanos()).isEqualTo(SECOND);
        assertThat(states()).containsExactly(State.QUEUED, State.RUNNING);
        first.close();
        assertThat(queries.list()).extracting(RunningQuery::operator).containsExactly("plan");
    }

    @Test
    void whatIsEndedForGoodIsToldApartFromWhatIsAskedAgain() {
        UniserveException gone = new UniserveException(ErrorCode.CANCELLED, "its caller has gone");
        UniserveException late = new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "its deadline has passed");
        RunningQueryRegistry.Entry left =
                queries.add(new FairShareKey("t", "c"), "op@1", until(SECOND), cancels::incrementAndGet);
        left.markCancelled();
        assertThat(left.toClientError(gone)).isSameAs(gone);
        assertThat(left.toClientError(late)).isSameAs(late);
        left.close();
        RunningQueryRegistry.Entry limited =
                queries.add(new FairShareKey("t", "c"), "op@1", limitedUntil(SECOND), cancels::incrementAndGet);
        assertThat(limited.toClientError(gone)).isSameAs(gone);
        assertThat(limited.toClientError(late).code()).isEqualTo(ErrorCode.QUERY_KILLED);
        assertThat(queries.cancel(queries.list().get(0).id())).isPresent();
        assertThat(limited.toClientError(gone).code()).isEqualTo(ErrorCode.QUERY_KILLED);
    }

    @Test
    void oneThatWasToEndIsEndingAndThenStuck() {
        RunningQueryRegistry.Entry late =
                queries.add(new FairShareKey("t", "c"), "op@1", until(2 * SECOND), cancels::incrementAndGet);
        late.markStarted();
        now = 2 * SECOND;
        assertThat(states()).containsExactly(State.ENDING);
        now = 4 * SECOND;
        assertThat(states()).containsExactly(State.STUCK);
        late.close();

        queries.add(new FairShareKey("t", "c"), "op@1", until(100 * SECOND), cancels::incrementAndGet);
        long id = queries.list().get(0).id();
        assertThat(queries.cancel(id + 1)).isEmpty();
        assertThat(cancels.get()).isZero();
        assertThat(queries.cancel(id)).map(RunningQuery::state).contains(State.ENDING);
        assertThat(cancels.get()).isEqualTo(1);
        now += 2 * SECOND;
        assertThat(states()).containsExactly(State.STUCK);
    }

    @Test
    void oneClientHasNotAllTheRoom() {
        ClientRequestLimiter shares = new ClientRequestLimiter(8, "reads", "server.read-queue");
        for (int i = 0; i < 6; i++) {
            assertThat(shares.reserve("many", 1)).isEmpty();
        }
        assertThat(shares.reserve("many", 1)).hasValueSatisfying(error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(error.getMessage()).contains("client many", "6 are the most", "server.read-queue");
        });
        assertThat(shares.reserve("other", 2)).isEmpty();
        shares.release("many", 1);
        assertThat(shares.reserve("many", 1)).isEmpty();
        assertThat(shares.reserve("large", 8)).as("one that is alone is taken").isEmpty();
        for (int i = 0; i < 9; i++) {
            assertThat(shares.reserve("", 1))
                    .as("who has no name has the room of all")
                    .isEmpty();
        }
    }

    private static QueryDeadline until(long nanos) {
        return new QueryDeadline(nanos, Optional.empty());
    }

    private static QueryDeadline limitedUntil(long nanos) {
        return new QueryDeadline(nanos, Optional.of("server.query-time-max"));
    }
}
