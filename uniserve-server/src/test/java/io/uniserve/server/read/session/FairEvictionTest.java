package io.uniserve.server.read.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FairEvictionTest {
    private final FairEviction<String> eviction = new FairEviction<>();

    @Test
    void withOneUserTheLeastRecentlyUsedGoesFirst() {
        add("", "a", "b", "c", "a");
        assertThat(eviction.choose(3, item -> 1)).isEmpty();
        assertThat(eviction.choose(1, item -> 1)).containsExactly("b", "c");
        assertThat(eviction.choose(0, item -> item.equals("c") ? 0 : 1))
                .as("what has no size stays")
                .containsExactly("b", "a");
    }

    @Test
    void theUserWithTheMostLosesAndAmongEqualsTheLeastRecentlyUsed() {
        add("small", "s1", "s2");
        add("greedy", "g1", "g2", "g3", "g4");
        assertThat(eviction.choose(4, item -> 1)).containsExactly("g1", "g2");
        assertThat(eviction.choose(2, item -> 1)).containsExactly("g1", "g2", "s1", "g3");
        assertThat(eviction.choose(20, item -> item.startsWith("s") ? 10 : 1))
                .as("by size")
                .containsExactly("s1");
    }

    @Test
    void whatALighterUserSharesIsAsSafeAsItsOwn() {
        add("small", "shared", "s1");
        add("greedy", "shared", "g1", "g2", "g3");
        assertThat(eviction.choose(3, item -> 1)).containsExactly("g1", "g2");
        assertThat(eviction.items()).containsExactly("s1", "shared", "g1", "g2", "g3");
    }

    @Test
    void twoUsersWithTheSameItemsAreNoLighterForThat() {
        add("small", "s1", "s2");
        add("one", "a", "b", "c", "d");
        add("other", "a", "b", "c", "d");
        assertThat(eviction.choose(4, item -> 1)).containsExactly("a", "b");
    }

    @Test
    void aUserWithinItsEqualShareLosesNothing() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            FairEviction<Integer> any = new FairEviction<>();
            Map<Integer, Integer> sizes = new HashMap<>();
            Map<String, Set<Integer>> held = new HashMap<>();
            int users = 1 + random.nextInt(5);
            for (int use = random.nextInt(40); use >= 0; use--) {
                int item = random.nextInt(20);
                String user = "u" + Math.min(random.nextInt(users), random.nextInt(users));
                sizes.putIfAbsent(item, random.nextInt(9));
                any.add(item, user);
                held.computeIfAbsent(user, name -> new HashSet<>()).add(item);
            }
            long max = random.nextInt(80);
            List<Integer> chosen = any.choose(max, item -> sizes.getOrDefault(item, 0));
            List<Integer> left = new ArrayList<>(any.items());
            left.removeAll(chosen);
            assertThat(sum(left, sizes)).isLessThanOrEqualTo(max);
            if (!chosen.isEmpty()) {
                left.add(chosen.get(chosen.size() - 1));
                assertThat(sum(left, sizes)).as("no more than needed").isGreaterThan(max);
            }
            held.forEach((user, items) -> {
                if (sum(items, sizes) * held.size() <= max) {
                    assertThat(chosen).as(user).doesNotContainAnyElementsOf(items);
                }
            });
        }
    }

    private static long sum(Iterable<Integer> items, Map<Integer, Integer> sizes) {
        long sum = 0;
        for (int item : items) {
            sum += sizes.getOrDefault(item, 0);
        }
        return sum;
    }

    private void add(String user, String... items) {
        for (String item : items) {
            eviction.add(item, user);
        }
    }
}
