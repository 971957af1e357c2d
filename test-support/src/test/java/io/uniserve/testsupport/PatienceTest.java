package io.uniserve.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private static final Duration OF_AWAITILITY = Duration.ofSeconds(10);

    @Test
    void junitHasFoundIt() {
        AtomicLong leftMillis = new AtomicLong();
        await().conditionEvaluationListener(condition -> leftMillis.set(condition.getRemainingTimeInMS()))
                .until(() -> true);
        assertThat(leftMillis.get()).isGreaterThan(OF_AWAITILITY.toMillis());
    }
}
