package io.uniserve.port.solr.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Cache of resources for planning, such as a schema: one per distinct set of table options, opened on first use. It closes a resource when
 * no table has these options any more and no thread uses it. Beyond {@link Limits#PLANNING_TABLES_MAX} tables it evicts the least recently
 * used. Safe for use by several threads.
 *
 * @param <T> the resource
 */
public final class OptionsKeyedCache<T> {
    private final Function<TableMeta, T> open;
    private final Consumer<T> close;
    private final Map<Map<String, String>, Entry> entries = new HashMap<>();
    /** Options of each table at its last use, least recently used first. */
    private final Map<TableName, Map<String, String>> lastOptions = new LinkedHashMap<>(16, 0.75f, true);

    /** Creates an empty cache. A slow {@code open} or {@code close} blocks only threads with the same options. */
    public OptionsKeyedCache(Function<TableMeta, T> open, Consumer<T> close) {
        this.open = open;
        this.close = close;
    }

    /** Plans one query with the resource of its table's options. */
    public interface Planning<T> {
        /** Answers the query. */
        Answer answer(T opened, TableMeta table, QueryText query, PlanContext context);
    }

    /** Planner for all tables that looks up the resource of each query in the cache that {@code open} returns. */
    public static <T> Planner planner(Supplier<OptionsKeyedCache<T>> open, Planning<T> planning) {
        return (query, context) -> {
            TableMeta table = context.table(query.table());
            return open.get().with(table, opened -> planning.answer(opened, table, query, context));
        };
    }

    /** Runs work with the resource of the table's options, which stays open meanwhile. */
    public <R> R with(TableMeta table, Function<T, R> work) {
        List<T> unused = new ArrayList<>();
        Entry entry = acquire(table, unused);
        try {
            unused.forEach(close);
            return work.apply(entry.value(table));
        } finally {
            release(entry).ifPresent(close);
        }
    }

    private synchronized Entry acquire(TableMeta table, List<T> unused) {
        Map<String, String> before = lastOptions.put(table.name(), table.options());
        if (before != null && !before.equals(table.options())) {
            evict(before).ifPresent(unused::add);
        }
        if (lastOptions.size() > Limits.PLANNING_TABLES_MAX) {
            Iterator<Map<String, String>> all = lastOptions.values().iterator();
            Map<String, String> eldest = all.next();
            all.remove();
            evict(eldest).ifPresent(unused::add);
        }
        Entry entry = entries.computeIfAbsent(table.options(), any -> new Entry());
        entry.users++;
        return entry;
    }

    private Optional<T> evict(Map<String, String> options) {
        Entry entry = lastOptions.containsValue(options) ? null : entries.remove(options);
        if (entry == null) {
            return Optional.empty();
        }
        entry.dropped = true;
        return entry.takeIfUnused();
    }

    private synchronized Optional<T> release(Entry entry) {
        entry.users--;
        return entry.takeIfUnused();
    }

    private final class Entry {
        private int users;
        private boolean dropped;
        private @Nullable T value;

        /** Opens the resource on the first call. */
        private synchronized T value(TableMeta table) {
            T known = value;
            if (known == null) {
                known = open.apply(table);
                value = known;
            }
            return known;
        }

        /** The resource if it is to be closed; returned once, since without users no other thread accesses the entry. */
        private Optional<T> takeIfUnused() {
            return dropped && users == 0 ? Optional.ofNullable(value) : Optional.empty();
        }
    }
}
