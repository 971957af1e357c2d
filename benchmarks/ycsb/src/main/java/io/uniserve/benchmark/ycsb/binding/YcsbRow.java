package io.uniserve.benchmark.ycsb.binding;

import java.util.Map;

/**
 * Row of an answer.
 *
 * @param key key of the row, as YCSB writes it
 * @param fields texts by name, without the key
 */
record YcsbRow(String key, Map<String, String> fields) {}
