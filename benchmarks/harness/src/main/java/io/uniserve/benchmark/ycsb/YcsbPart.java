package io.uniserve.benchmark.ycsb;

/** Parts of {@code bench ycsb}. */
enum YcsbPart {
    CORE,
    SCANS,
    HOT,
    BULK
}
