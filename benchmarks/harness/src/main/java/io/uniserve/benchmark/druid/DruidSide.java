package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.CpuMeter;

/** One data source of one side of the comparison. Thread-safe for queries. */
interface DruidSide {
    /** Returns the name in figures and raw output: uniserve or native. */
    String name();

    /** Answers a native query, as JSON. */
    String answer(String json);

    /** Answers a native query whose interval lies in one chunk. */
    String answer(LineitemChunks.Chunk chunk, String json);

    /** Returns the meter of all processes that answer queries, and of this one. */
    CpuMeter cpu();

    /** Returns the table of a cluster of Uniserve. */
    static DruidSide uniserve(UniserveDruidCluster cluster, String table) {
        CpuMeter cpu = new CpuMeter(cluster.serverPids(), true);
        return new DruidSide() {
            @Override
            public String name() {
                return "uniserve";
            }

            @Override
            public String answer(String json) {
                return cluster.query(table, json);
            }

            @Override
            public String answer(LineitemChunks.Chunk chunk, String json) {
                return cluster.query(table, chunk.number(), json);
            }

            @Override
            public CpuMeter cpu() {
                return cpu;
            }
        };
    }

    /** Returns the data source of native Druid that the queries name. */
    static DruidSide nativeDruid(NativeDruid druid) {
        CpuMeter cpu = new CpuMeter(druid.queryPids(), true);
        return new DruidSide() {
            @Override
            public String name() {
                return "native";
            }

            @Override
            public String answer(String json) {
                return druid.query(json);
            }

            @Override
            public String answer(LineitemChunks.Chunk chunk, String json) {
                return druid.query(json);
            }

            @Override
            public CpuMeter cpu() {
                return cpu;
            }
        };
    }
}
