package io.uniserve.sql.plan;

import io.uniserve.model.TableName;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Part of a query that is answered separately.
 *
 * @param number 0 for the query itself
 * @param reduced true if the stage is limited to rows that the outer query can use, by given values
 * @param late true if columns that are only shown are fetched when the rows of the answer are known
 * @param after tables that are looked up after the groups, by their places in FROM
 * @param checked sub-queries that each actor of the stationary table evaluates from its own rows or co-located ones: the tables that
 *     they read, by stage
 */
public record QueryStage(
        int number, boolean reduced, boolean late, Set<Integer> after, Map<Integer, TableName> checked) {
    public QueryStage {
        after = Collections.unmodifiableSet(new TreeSet<>(after));
        checked = Collections.unmodifiableMap(new TreeMap<>(checked));
    }

    /** Creates a stage that gets the answers of all its sub-queries. */
    public QueryStage(int number, boolean reduced, boolean late, Set<Integer> after) {
        this(number, reduced, late, after, Map.of());
    }

    /** Creates a stage with all tables joined. */
    public QueryStage(int number, boolean reduced, boolean late) {
        this(number, reduced, late, Set.of());
    }

    /** Creates a stage with all columns at once. */
    public QueryStage(int number, boolean reduced) {
        this(number, reduced, false);
    }
}
