package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.client.ActorSelection;
import io.uniserve.client.ClientTable;
import io.uniserve.error.UniserveException;

/**
 * Key of a row: YCSB's text, or in tables partitioned by ranges the number in it.
 *
 * @param text as YCSB writes it, such as {@code user17}
 */
record RowKey(String text, boolean isNumber) {
    static final String PREFIX = "user";

    /** Value of the key field. */
    Object value() {
        return isNumber ? (Object) number() : text;
    }

    long number() {
        try {
            return Long.parseLong(text.substring(PREFIX.length()));
        } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
            throw UniserveException.invalid("key " + text + " is not " + PREFIX + " and a number, which a table"
                    + " partitioned by ranges needs");
        }
    }

    /** Returns YCSB's text for the value of a key field. */
    static String textOf(Object value) {
        return value instanceof Long number ? PREFIX + number : String.valueOf(value);
    }

    /** The actor of this key. */
    ActorSelection actor(ClientTable table) {
        return isNumber ? table.key(number()) : table.key(text);
    }
}
