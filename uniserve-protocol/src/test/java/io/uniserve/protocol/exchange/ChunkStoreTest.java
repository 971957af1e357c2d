package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shares of users in the memory and the files for chunks. */
class ChunkStoreTest {
    private static final int MEMORY = 1_000;
    private static final int FILES = 10_000;

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private final ChunkStore store =
            new ChunkStore(disk, new ExchangeLimits(MEMORY, MEMORY, FILES, FILES, 64, 10, SECOND, 3), () -> {});
    private final List<ChunkStore.Stored> kept = new ArrayList<>();

    @AfterEach
    void nothingStays() {
        kept.forEach(ChunkStore.Stored::free);
        kept.forEach(ChunkStore.Stored::free);
        loop.run(SECOND);
        assertThat(store.memory()).isZero();
        assertThat(store.spilled()).isZero();
        assertThat(store.files()).isZero();
        assertThat(store.queries()).isZero();
        assertThat(store.users()).isZero();
    }

    private Outcome<ChunkStore.Stored> add(String user, long query, int size) {
        AtomicReference<Outcome<ChunkStore.Stored>> ended = new AtomicReference<>();
        store.add(user, query, List.of(Bytes.wrap(new byte[size])), ended::set);
        loop.runUntil(() -> ended.get() != null, SECOND);
        Outcome<ChunkStore.Stored> outcome = Objects.requireNonNull(ended.get());
        if (outcome instanceof Outcome.Ok<ChunkStore.Stored> ok) {
            kept.add(ok.value());
        }
        return outcome;
    }

    private ChunkStore.Stored stored(String user, long query, int size) {
        return ExchangeWorld.value(add(user, query, size));
    }

    @Test
    void aUserAloneHasMostAndLeavesTheRestToOthers() {
        for (int query = 0; query < 80; query++) {
            assertThat(stored("greedy", query, 10).isSpilled()).isFalse();
        }
        assertThat(stored("greedy", 80, 10).isSpilled())
                .as("beyond its share of memory")
                .isTrue();
        assertThat(stored("ann", 1, 160).isSpilled()).isFalse();
        assertThat(stored("ann", 1, 1).isSpilled()).isTrue();
        assertThat(stored("bob", 1, 32).isSpilled()).isFalse();
        assertThat(store.users()).isEqualTo(3);
    }

    @Test
    void withoutRoomInFilesTheErrorNamesTheUserAndAnotherStillStores() {
        stored("greedy", 1, 800);
        for (int query = 2; query < 10; query++) {
            assertThat(stored("greedy", query, 1_000).isSpilled()).isTrue();
        }
        UniserveException error = ((Outcome.Err<ChunkStore.Stored>) add("greedy", 10, 30)).error();
        assertThat(error.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(error)
                .hasMessageContaining("user greedy would take 8030 bytes of files")
                .hasMessageContaining("at most 8000 are permitted while others have 0")
                .hasMessageContaining("other queries of this user have ended");
        assertThat(store.queries()).as("a refused chunk leaves nothing").isEqualTo(9);
        assertThat(stored("ann", 1, 1_000).isSpilled()).isTrue();
        kept.get(1).free();
        assertThat(add("greedy", 10, 200)).as("freed, and less is left by ann").isInstanceOf(Outcome.Ok.class);
        assertThat(add("greedy", 10, 1)).isInstanceOf(Outcome.Err.class);
    }

    @Test
    void workWithoutAUserHasTheWholeBudget() {
        assertThat(stored("", 1, MEMORY).isSpilled()).isFalse();
        assertThat(stored("", 2, FILES).isSpilled()).isTrue();
        UniserveException full = ((Outcome.Err<ChunkStore.Stored>) add("ann", 3, 1)).error();
        assertThat(full).hasMessageContaining("chunks of all queries take 10000 bytes");
        UniserveException query = ((Outcome.Err<ChunkStore.Stored>) add("", 2, 1)).error();
        assertThat(query.code()).isEqualTo(ErrorCode.TOO_LARGE);
    }

    @Test
    void aQueryLargerThanTheShareOfItsUserIsNotTriedAgain() {
        stored("ann", 1, 800);
        stored("ann", 1, 8_000);
        UniserveException error = ((Outcome.Err<ChunkStore.Stored>) add("ann", 1, 1)).error();
        assertThat(error.code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(error).hasMessageContaining("at most 1000 and 8000 are permitted");
    }

    @Test
    void oneNumberOfAQueryIsCountedPerUser() {
        stored("ann", 7, 100);
        stored("bob", 7, 100);
        assertThat(store.queries()).isEqualTo(2);
    }

    @Test
    void aChunkThatCannotBeWrittenDoesNotCount() {
        stored("greedy", 1, 800);
        disk.full(true);
        assertThat(add("greedy", 2, 500)).isInstanceOf(Outcome.Err.class);
        disk.full(false);
        assertThat(store.spilled()).isZero();
        assertThat(store.queries()).isEqualTo(1);
    }

    @Test
    void inRandomHistoriesNoBudgetIsExceededAndAUserWithoutChunksIsServed() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            for (int step = 0; step < 60; step++) {
                String user = "u" + random.nextInt(3);
                int size = 1 + random.nextInt(600);
                if (random.nextInt(4) == 0 && !kept.isEmpty()) {
                    kept.remove(random.nextInt(kept.size())).free();
                } else {
                    add(user, random.nextInt(5), size);
                }
                assertThat(store.memory()).isBetween(0L, (long) MEMORY);
                assertThat(store.spilled()).isBetween(0L, (long) FILES);
                assertThat(store.spilled()).as("room for another").isLessThan(FILES);
            }
            assertThat(add("new", 1, 1)).as("seed " + seed).isInstanceOf(Outcome.Ok.class);
            kept.forEach(ChunkStore.Stored::free);
            kept.clear();
            loop.run(SECOND);
            assertThat(store.users()).isZero();
        }
    }
}
