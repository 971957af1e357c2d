package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class FootprintTest {
    @Test
    void oneThreadMoreIsSeen() throws InterruptedException {
        Footprint before = Footprint.now();
        CountDownLatch end = new CountDownLatch(1);
        Thread more = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "planted-7");
        more.start();
        assertThat(Footprint.now().threadsAbove(before)).contains("planted-N: 1, 0 before");
        end.countDown();
        more.join();
        assertThat(Footprint.now().threads()).doesNotContainKey("planted-N");
    }

    @Test
    void fewerOfOneKindDoNotMakeUpForMoreOfAnother() {
        Footprint before = new Footprint(Map.of("a", 10L, "b", 1L), 5);
        assertThat(new Footprint(Map.of("a", 2L, "b", 2L), 5).threadsAbove(before))
                .containsExactly("b: 2, 1 before");
    }

    @Test
    void whatGrowsWithEachRoundIsNotSettled() {
        AtomicLong open = new AtomicLong();
        assertThatThrownBy(() -> Footprint.settled(() -> new Footprint(Map.of("a", open.incrementAndGet()), 0)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("12 threads");
        assertThat(Footprint.settled(() -> new Footprint(Map.of("a", Math.min(open.incrementAndGet(), 15)), 0)))
                .isEqualTo(new Footprint(Map.of("a", 15L), 0));
    }
}
