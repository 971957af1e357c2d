package io.uniserve.benchmark.ycsb;

import java.util.List;
import java.util.Map;

/**
 * System that the YCSB client measures.
 *
 * @param name in the output
 * @param binding class of the binding
 * @param properties of the binding
 * @param pids processes of the servers
 */
record YcsbSide(String name, String binding, Map<String, String> properties, List<Long> pids) {
    YcsbSide {
        properties = Map.copyOf(properties);
        pids = List.copyOf(pids);
    }
}
