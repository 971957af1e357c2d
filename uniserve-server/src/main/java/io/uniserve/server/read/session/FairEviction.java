package io.uniserve.server.read.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Choice of items to evict, fair between users (max-min). A user's usage is the size of all its items, shared ones in full. The usage
 * of an item is that of its user with the least. The item of the greatest usage goes first; among equals the least recently used one.
 * So a user who has at most an equal share of the limit loses nothing to others, and an item that such a user shares stays too. With
 * one user, it is least recently used first. Not thread-safe.
 *
 * @param <T> type of items, distinct by equals
 */
final class FairEviction<T> {
    private final Map<T, Set<String>> usersByItem = new LinkedHashMap<>();

    /** Adds a use of an item by a user. The order of calls is that of the uses, the oldest first. */
    void add(T item, String user) {
        Set<String> users = usersByItem.remove(item);
        if (users == null) {
            users = new HashSet<>();
        }
        users.add(user);
        usersByItem.put(item, users);
    }

    /** The items, the least recently used one first. */
    List<T> items() {
        return List.copyOf(usersByItem.keySet());
    }

    /**
     * Returns the items to evict, so that the others take at most this size. Items of size 0 stay.
     *
     * @param size returns the size of an item, the same at each call
     */
    List<T> choose(long max, ToLongFunction<T> size) {
        Map<T, Set<String>> left = new LinkedHashMap<>(usersByItem);
        Map<String, Long> usages = new HashMap<>();
        long total = 0;
        for (Map.Entry<T, Set<String>> item : left.entrySet()) {
            long bytes = size.applyAsLong(item.getKey());
            total += bytes;
            item.getValue().forEach(user -> usages.merge(user, bytes, Long::sum));
        }
        left.keySet().removeIf(item -> size.applyAsLong(item) <= 0);
        List<T> chosen = new ArrayList<>();
        while (total > max && !left.isEmpty()) {
            T next = findHeaviest(left, usages);
            long bytes = size.applyAsLong(next);
            left.getOrDefault(next, Set.of()).forEach(user -> usages.merge(user, -bytes, Long::sum));
            left.remove(next);
            total -= bytes;
            chosen.add(next);
        }
        return chosen;
    }

    private static <T> T findHeaviest(Map<T, Set<String>> items, Map<String, Long> usages) {
        T found = items.keySet().iterator().next();
        long most = -1;
        for (Map.Entry<T, Set<String>> item : items.entrySet()) {
            long usage = Long.MAX_VALUE;
            for (String user : item.getValue()) {
                usage = Math.min(usage, usages.getOrDefault(user, 0L));
            }
            if (usage > most) {
                most = usage;
                found = item.getKey();
            }
        }
        return found;
    }
}
