package io.uniserve.sql.plan;

import io.uniserve.sql.plan.ShuffleQuery.Link;
import io.uniserve.sql.plan.write.QueryScope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Join order of shuffled tables: each is joined by an equality with one before it. An order may start with any table and continues with the
 * smallest table that can follow. The one that sends the fewest rows is chosen.
 */
public final class ShuffleJoinOrder {
    private final SqlQuery query;
    private final List<Long> counts;
    /** Links by both of their tables. */
    private final Map<Integer, List<Link>> innerLinks = new HashMap<>();
    /** Links of LEFT JOINs, by the table that is not preserved: it must come last. */
    private final Map<Integer, List<Link>> outerLinks = new HashMap<>();

    /**
     * Builds the links of a query's tables.
     *
     * @param query with its stationary table
     * @param counts rows per table, by place in FROM
     */
    public ShuffleJoinOrder(SqlQuery query, List<Long> counts) {
        this.query = query;
        this.counts = List.copyOf(counts);
        query.equalities().forEach(one -> {
            add(innerLinks, one.left(), one.right());
            add(innerLinks, one.right(), one.left());
        });
        query.outerEqualities().forEach(one -> add(outerLinks, one.left(), one.right()));
    }

    private void add(Map<Integer, List<Link>> all, QueryScope.ColumnRef to, QueryScope.ColumnRef item) {
        Link link = new Link(item.item(), item.column(), to.item(), to.column());
        boolean tables = item.item() < QueryBlock.ANSWERS_FROM && to.item() < QueryBlock.ANSWERS_FROM;
        if (tables && ShuffleQuery.commonType(query, link).isPresent()) {
            all.computeIfAbsent(link.item(), i -> new ArrayList<>()).add(link);
        }
    }

    private List<Link> links(Map<Integer, List<Link>> all, int item) {
        return all.getOrDefault(item, List.of());
    }

    /** True if a table has a column by which it can be shuffled. */
    public boolean hasPartitionColumn(int item) {
        return !links(innerLinks, item).isEmpty() || !links(outerLinks, item).isEmpty();
    }

    /**
     * Returns the links between these tables and the stationary one; empty if they are not connected. Tables between them are added if
     * needed.
     */
    public Optional<List<Link>> linksFor(Set<Integer> cut) {
        Set<Integer> all = new TreeSet<>(cut);
        all.add(query.stationaryItem());
        for (int item : cut) {
            connect(all, item);
        }
        return linksOfExactly(all);
    }

    /** Returns the link between this table and the stationary one. */
    Optional<List<Link>> linkOf(int item) {
        return item == query.stationaryItem() ? Optional.empty() : linksOfExactly(Set.of(query.stationaryItem(), item));
    }

    /** Returns the links of all tables that can be shuffled with the stationary one. */
    Optional<List<Link>> allLinks() {
        Set<Integer> all = new TreeSet<>(Set.of(query.stationaryItem()));
        Optional<List<Link>> most = Optional.empty();
        for (boolean more = true; more; ) {
            more = false;
            for (int item :
                    smallestFirst(IntStream.range(0, counts.size()).boxed().toList())) {
                Set<Integer> with = new TreeSet<>(all);
                Optional<List<Link>> found = with.add(item) ? linksOfExactly(with) : Optional.empty();
                if (found.isPresent()) {
                    all = with;
                    most = found;
                    more = true;
                }
            }
        }
        return most;
    }

    /** Adds the tables of a shortest path from the stationary table to this one. */
    private void connect(Set<Integer> all, int item) {
        Map<Integer, Integer> from = new TreeMap<>();
        ArrayDeque<Integer> next = new ArrayDeque<>(List.of(query.stationaryItem()));
        from.put(query.stationaryItem(), query.stationaryItem());
        while (!next.isEmpty() && !from.containsKey(item)) {
            int one = next.remove();
            for (int other = 0; other < counts.size(); other++) {
                int to = other;
                boolean linked = links(innerLinks, other).stream().anyMatch(link -> link.previousItem() == one)
                        || to == item && links(outerLinks, other).stream().anyMatch(link -> link.previousItem() == one);
                // Tables that are shuffled anyway cost nothing, so the search tries them first.
                if (linked && from.putIfAbsent(other, one) == null) {
                    if (all.contains(other)) {
                        next.addFirst(other);
                    } else {
                        next.addLast(other);
                    }
                }
            }
        }
        for (Integer one = item;
                one != null && one != query.stationaryItem() && from.containsKey(item);
                one = from.get(one)) {
            all.add(one);
        }
    }

    /** Returns the links that the query's hint requests. */
    public Optional<List<Link>> linksByHint(String text, List<Integer> others) {
        return switch (ShuffleQuery.hint(text)) {
            case NONE -> Optional.empty();
            case ALL -> allLinks();
            case LARGEST -> {
                Optional<List<Link>> largest = Optional.empty();
                for (int item : others) { // the largest last
                    Optional<List<Link>> one = linkOf(item);
                    largest = one.isPresent() ? one : largest;
                }
                yield largest;
            }
        };
    }

    private Optional<List<Link>> linksOfExactly(Set<Integer> all) {
        if (all.size() < 2 || all.size() > ShuffleQuery.TABLES_MAX) {
            return Optional.empty();
        }
        List<Integer> starts = new ArrayList<>(List.of(query.stationaryItem()));
        smallestFirst(all).stream()
                .filter(item -> item != query.stationaryItem())
                .forEach(starts::add);
        Optional<List<Link>> best = Optional.empty();
        long least = Long.MAX_VALUE;
        for (int start : starts) {
            Optional<List<Link>> found = orderFrom(start, all);
            if (found.isPresent() && estimateSentRows(found.get()) < least) {
                best = found;
                least = estimateSentRows(found.get());
            }
        }
        return best;
    }

    /** Estimates the rows that are sent between joins: the largest table of each. */
    private long estimateSentRows(List<Link> links) {
        long most = counts.get(links.get(0).previousItem());
        long sent = 0;
        for (Link link : links.subList(0, links.size() - 1)) {
            most = Math.max(most, counts.get(link.item()));
            sent += most;
        }
        return sent;
    }

    private Optional<List<Link>> orderFrom(int start, Set<Integer> all) {
        Set<Integer> known = new TreeSet<>(Set.of(start));
        List<Link> links = new ArrayList<>();
        while (known.size() < all.size()) {
            Optional<Link> next = smallestFirst(all).stream()
                    .filter(item -> !known.contains(item))
                    .flatMap(item -> links(innerLinks, item).stream()
                            .filter(link -> known.contains(link.previousItem()))
                            .limit(1))
                    .findFirst();
            if (next.isEmpty() && known.size() == all.size() - 1) {
                next = all.stream()
                        .filter(item -> !known.contains(item))
                        .flatMap(item ->
                                links(outerLinks, item).stream().filter(link -> known.contains(link.previousItem())))
                        .findFirst();
            }
            if (next.isEmpty()) {
                return Optional.empty();
            }
            links.add(next.get());
            known.add(next.get().item());
        }
        return Optional.of(links);
    }

    private List<Integer> smallestFirst(Iterable<Integer> items) {
        List<Integer> all = new ArrayList<>();
        items.forEach(all::add);
        all.sort((one, other) -> Long.compare(counts.get(one), counts.get(other)));
        return all;
    }
}
