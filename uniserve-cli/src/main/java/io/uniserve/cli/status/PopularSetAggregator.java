package io.uniserve.cli.status;

import io.uniserve.protocol.message.PeerReply.PopularSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Popular sets of actors in a cluster. Each query is counted by one server, so the counts of servers are added. */
final class PopularSetAggregator {
    private PopularSetAggregator() {}

    /** Set with the name of its table. */
    record NamedSet(String table, List<Integer> actors, double perSecond, double error) {}

    private record Key(String table, List<Integer> actors) {}

    /** Returns the sets of all existing tables, the most frequent first. */
    static List<NamedSet> of(ClusterReport report) {
        Map<Long, String> names = new LinkedHashMap<>();
        report.tables()
                .forEach(table ->
                        names.put(table.meta().tableId(), table.meta().name().value()));
        Map<Key, NamedSet> sum = new LinkedHashMap<>();
        report.servers()
                .forEach(server -> server.load().ifPresent(load -> {
                    for (PopularSet set : load.sets()) {
                        String table = names.get(set.tableId());
                        if (table != null) {
                            NamedSet one = new NamedSet(table, set.actors(), set.perSecond(), set.error());
                            sum.merge(new Key(table, set.actors()), one, PopularSetAggregator::add);
                        }
                    }
                }));
        List<NamedSet> all = new ArrayList<>(sum.values());
        all.sort(Comparator.comparingDouble(NamedSet::perSecond).reversed());
        return all;
    }

    private static NamedSet add(NamedSet a, NamedSet b) {
        return new NamedSet(a.table(), a.actors(), a.perSecond() + b.perSecond(), a.error() + b.error());
    }
}
