package io.uniserve.benchmark.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ClosedLoopClientsTest {
    private final Set<Long> numbers = ConcurrentHashMap.newKeySet();

    private Window runUntil(ClosedLoopClients clients, long number, Query query) {
        return clients.runDuring(
                () -> Awaitility.await().until(() -> numbers.stream().anyMatch(n -> n >= number)), n -> {
                    numbers.add(n);
                    return query.run(n);
                });
    }

    @Test
    void everyQueryIsCountedOnceAsRightWrongOrFailed() {
        ClosedLoopClients clients = new ClosedLoopClients(3, System::nanoTime);
        Window window = runUntil(clients, 99, n -> {
            if (n % 10 == 1) {
                throw new UniserveException(ErrorCode.UNAVAILABLE, "no server");
            }
            return n % 10 == 2 ? Optional.of("2 rows, not 1") : Optional.empty();
        });
        long sent = numbers.size();
        assertThat(window.queries()).isEqualTo(sent);
        assertThat(window.failed())
                .isEqualTo(numbers.stream().filter(n -> n % 10 == 1).count());
        assertThat(window.wrong())
                .isEqualTo(numbers.stream().filter(n -> n % 10 == 2).count());
        assertThat(window.latenciesNanos()).hasSize((int) (sent - window.failed() - window.wrong()));
        assertThat(window.latenciesNanos()).isSorted();
        assertThat(window.messages())
                .hasSize(5)
                .allMatch(message -> message.contains("no server") || message.contains("WRONG: 2 rows, not 1"));
    }

    @Test
    void numbersGoOnInTheNextWindow() {
        ClosedLoopClients clients = new ClosedLoopClients(2, System::nanoTime);
        runUntil(clients, 10, n -> Optional.empty());
        long last = numbers.stream().mapToLong(Long::longValue).max().orElse(0);
        numbers.clear();
        runUntil(clients, last + 5, n -> Optional.empty());
        assertThat(numbers).allMatch(n -> n > last);
    }

    @Test
    void anErrorOfTheActionEndsTheClients() {
        ClosedLoopClients clients = new ClosedLoopClients(2, System::nanoTime);
        AtomicInteger sent = new AtomicInteger();
        assertThatThrownBy(() -> clients.runDuring(
                        () -> {
                            Awaitility.await().until(() -> sent.get() > 0);
                            throw new UniserveException(ErrorCode.IO, "disk");
                        },
                        n -> {
                            sent.incrementAndGet();
                            return Optional.empty();
                        }))
                .hasMessageContaining("disk");
    }

    @Test
    void throughputCountsRightAnswersOnly() {
        Window window = new Window(2, new long[] {1_000_000, 2_000_000, 3_000_000, 100_000_000}, 10, 20, List.of());
        assertThat(window.perSecond()).isEqualTo(2, within(1e-9));
        assertThat(window.queries()).isEqualTo(34);
        assertThat(window.percentileMillis(0.5)).isEqualTo(2, within(1e-9));
        assertThat(window.percentileMillis(0.99)).isEqualTo(100, within(1e-9));
        assertThat(window.percentileMillis(0)).isEqualTo(1, within(1e-9));
    }

    @Test
    void withoutARightAnswerThereIsNoPercentile() {
        Window window = new Window(2, new long[0], 1, 0, List.of());
        assertThat(window.perSecond()).isZero();
        assertThat(window.percentileMillis(0.5)).isNaN();
    }
}
