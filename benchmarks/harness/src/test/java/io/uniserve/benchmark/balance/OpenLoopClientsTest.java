package io.uniserve.benchmark.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Queries at a fixed rate. Time passes only while a query runs, so latencies are exact. */
class OpenLoopClientsTest {
    private static final double RATE = 1_000;
    private static final long PERIOD = 1_000_000;
    private static final long SERVICE = 10 * PERIOD;
    private static final double LONG = 1e6;
    /** Slow queries of a window. Later ones take half a period, so that they catch up. */
    private static final int SLOW = 20;

    private final AtomicLong now = new AtomicLong();
    private final Set<Long> numbers = ConcurrentHashMap.newKeySet();

    private Optional<String> slow(long n) {
        now.addAndGet(n < SLOW ? SERVICE : PERIOD / 2);
        numbers.add(n);
        return Optional.empty();
    }

    private Runnable untilSent(int count) {
        return () -> Awaitility.await().until(() -> numbers.size() >= count);
    }

    @Test
    void latencyCountsFromTheIntendedStart() {
        OpenLoopClients clients = new OpenLoopClients(1, LONG, now::get);
        Window window = clients.measure(RATE, untilSent(SLOW), this::slow);
        assertThat(window.failed()).isZero();
        long[] first = LongStream.range(0, SLOW)
                .map(i -> (i + 1) * SERVICE - i * PERIOD)
                .toArray();
        // The queue that the slow queries leave is served by quick ones, so each latency is between the first and the
        // longest.
        assertThat(window.latenciesNanos()).contains(first);
        assertThat(window.latenciesNanos()[window.latenciesNanos().length - 1]).isEqualTo(first[SLOW - 1]);
    }

    @Test
    void everyQueryThatIsDueInTheWindowIsSentOrFailed() {
        Thread caller = Thread.currentThread();
        List<Long> readByCaller = new ArrayList<>();
        OpenLoopClients clients = new OpenLoopClients(1, 0, () -> {
            long time = now.get();
            if (Thread.currentThread() == caller) {
                readByCaller.add(time);
            }
            return time;
        });
        Window window = clients.measure(RATE, untilSent(5), n -> {
            now.addAndGet(SERVICE);
            numbers.add(n);
            return Optional.empty();
        });
        assertThat(window.failed()).isPositive();
        assertThat(window.messages()).allMatch(message -> message.contains("was not sent"));
        assertThat(window.queries()).isEqualTo(numbers.size() + window.failed());
        // The caller reads the clock at the start and at the end of the window. A query that is due later is sent only
        // before
        // the clients see the end.
        long due = readByCaller.get(1) / PERIOD + 1;
        long sent = numbers.stream().mapToLong(Long::longValue).max().orElse(0) + 1;
        assertThat(window.queries()).isEqualTo(Math.max(due, sent));
    }

    @Test
    void aLoadLeavesLateQueriesOut() {
        OpenLoopClients clients = new OpenLoopClients(1, LONG, now::get);
        Query query = n -> {
            now.addAndGet(SERVICE);
            numbers.add(n);
            return Optional.empty();
        };
        Window window = clients.load(RATE, untilSent(5), query);
        assertThat(window.failed()).isZero();
        assertThat(window.queries()).isEqualTo(numbers.size());
        long last = numbers.stream().mapToLong(Long::longValue).max().orElse(0);
        numbers.clear();
        clients.load(RATE, untilSent(5), query);
        assertThat(numbers).as("numbers go on").allMatch(n -> n > last);
    }

    @Test
    void wrongAndFailedQueriesAreCounted() {
        OpenLoopClients clients = new OpenLoopClients(3, LONG, System::nanoTime);
        Window window = clients.load(1e6, untilSent(100), n -> {
            numbers.add(n);
            if (n % 10 == 1) {
                throw new UniserveException(ErrorCode.UNAVAILABLE, "no server");
            }
            return n % 10 == 2 ? Optional.of("7, not 8") : Optional.empty();
        });
        assertThat(window.queries()).isEqualTo(numbers.size());
        assertThat(window.failed())
                .isEqualTo(numbers.stream().filter(n -> n % 10 == 1).count());
        assertThat(window.wrong())
                .isEqualTo(numbers.stream().filter(n -> n % 10 == 2).count());
        assertThat(window.messages())
                .hasSize(5)
                .allMatch(message -> message.contains("no server") || message.contains("WRONG: 7, not 8"));
    }

    @Test
    void anErrorOfTheActionEndsTheClients() {
        OpenLoopClients clients = new OpenLoopClients(2, LONG, System::nanoTime);
        assertThatThrownBy(() -> clients.measure(
                        RATE,
                        () -> {
                            throw new UniserveException(ErrorCode.IO, "disk");
                        },
                        n -> Optional.empty()))
                .hasMessageContaining("disk");
    }
}
