package io.uniserve.port.solr.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
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
 * What an engine keeps open to plan queries with, such as a schema: one for all tables of the same options, made when it is
 * first wanted. It is closed when no table has these options any more, as when they changed, and nobody uses it; of what was
 * not used for longest, beyond {@link Limits#PLANNING_TABLES_MAX} tables, too. Safe for use by several threads.
 *
 * @param <T> what is open
 */
public final class OptionsKeyedCache<T> {
    private final Function<TableMeta, T> open;
    private final Consumer<T> close;
    private final Map<Map<String, String>, Entry> entries = new HashMap<>();
    /** The options with which each table was used last, the longest unused table first. */
    private final Map<TableName, Map<String, String>> latest = new LinkedHashMap<>(16, 0.75f, true);

    /** Opens nothing yet; {@code open} and {@code close} hold up nobody who works with other options. */
    public OptionsKeyedCache(Function<TableMeta, T> open, Consumer<T> close) {
        this.open = open;
        this.close = close;
    }

    /** Plans one query with what is open for its table's options. */
    public interface Planning<T> {
        /** The answer. */
        Answer answer(T opened, TableMeta table, QueryText query, PlanContext context);
    }

    /** A planner for all tables, with what {@code open} has when a query comes. */
    public static <T> Planner planner(Supplier<OptionsKeyedCache<T>> open, Planning<T> planning) {
        return (query, context) -> {
            TableMeta table = context.table(query.table());
            return open.get().with(table, opened -> planning.answer(opened, table, query, context));
        };
    }

    /** Does work with what is open for the table's options; it stays open meanwhile. */
    public <R> R with(TableMeta table, Function<T, R> work) {
        List<T> unused = new ArrayList<>();
        Entry entry = use(table, unused);
        try {
            unused.forEach(close);
            return work.apply(entry.value(table));
        } finally {
            leave(entry).ifPresent(close);
        }
    }

    private synchronized Entry use(TableMeta table, List<T> unused) {
        Map<String, String> before = latest.put(table.name(), table.options());
        if (before != null && !before.equals(table.options())) {
            drop(before).ifPresent(unused::add);
        }
        if (latest.size() > Limits.PLANNING_TABLES_MAX) {
            Iterator<Map<String, String>> all = latest.values().iterator();
            Map<String, String> eldest = all.next();
            all.remove();
            drop(eldest).ifPresent(unused::add);
        }
        Entry entry = entries.computeIfAbsent(table.options(), any -> new Entry());
        entry.users++;
        return entry;
    }

    private Optional<T> drop(Map<String, String> options) {
        Entry entry = latest.containsValue(options) ? null : entries.remove(options);
        if (entry == null) {
            return Optional.empty();
        }
        entry.dropped = true;
        return entry.unused();
    }

    private synchronized Optional<T> leave(Entry entry) {
        entry.users--;
        return entry.unused();
    }

    private final class Entry {
        private int users;
        private boolean dropped;
        private @Nullable T value;

        /** Opened by the first of several who want it. */
        private synchronized T value(TableMeta table) {
            T known = value;
            if (known == null) {
                known = open.apply(table);
                value = known;
            }
            return known;
        }

        /** What is to be closed, once; without users nobody else looks at the value. */
        private Optional<T> unused() {
            return dropped && users == 0 ? Optional.ofNullable(value) : Optional.empty();
        }
    }
}
