package io.uniserve.port.solr.table;

import static io.uniserve.port.solr.table.FieldValueConverter.invalid;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;

/**
 * Checks for tables whose key field is not Solr's unique key, so that the unique key alone does not determine the actor. See {@link
 * BroadcastUpdate}. Stateless.
 */
public final class UniqueKeyLocationCheck {
    private UniqueKeyLocationCheck() {}

    /**
     * Requires that clients and Solr agree on the unique key of the table's rows.
     *
     * @throws UniserveException INVALID_ARGUMENT if clients would use another field than {@code uniqueKey}
     */
    public static void checkOption(TableMeta meta, String uniqueKey) {
        String told = BroadcastUpdate.uniqueKey(meta);
        boolean matters = meta.options().containsKey(BroadcastUpdate.OPTION)
                || meta.keyField().equals(told);
        if (matters && !told.equals(uniqueKey)) {
            throw UniserveException.invalid("table option " + BroadcastUpdate.OPTION + " is \"" + told
                    + "\", but the unique key is \"" + uniqueKey + "\"; give the table " + BroadcastUpdate.OPTION + '='
                    + uniqueKey);
        }
    }

    /**
     * Rejects rows that this actor must not apply: a row sent to this actor alone although another actor may hold the same unique key; a
     * row that depends on a document which another actor may hold. In an update of all actors, a row that changes fields concerns only the
     * actor that owns it, and needs the document there.
     *
     * @param function the update function of the row
     * @param version the row's condition: 0 for none, negative for no document, otherwise the document's expected version
     */
    public static void requireAllowedHere(
            String function, ActorContext home, String uniqueKey, Document row, long version) {
        boolean told = row.keyField().equals(uniqueKey);
        boolean change = FieldValueConverter.isPartialUpdate(row);
        if (!told && !BroadcastUpdate.isBroadcast(function)) {
            throw invalid(describe(uniqueKey, row) + "may be under another " + row.keyField()
                    + ", so that its update must go to every actor; use a client that does so, as of this version");
        }
        if (change && BroadcastUpdate.isBroadcast(function) && !home.owns(row)) {
            throw invalid(describe(uniqueKey, row) + "is not for actor " + home.actor() + " but for that of its "
                    + row.keyField() + "; send it to that one alone");
        }
        if (!told && (change ? version < 0 : version != 0)) {
            throw invalid(describe(uniqueKey, row) + "depends on version " + version + ", but may be under another "
                    + row.keyField() + "; leave the version out, or change fields of the document with a positive one");
        }
    }

    /**
     * Rejects a row that needs its document, if this actor does not hold it but another one may.
     *
     * @param version version of the document on this actor; negative if absent
     */
    public static void requireDocumentHere(ActorContext home, String uniqueKey, Document row, long version) {
        if (version < 0 && !row.keyField().equals(uniqueKey)) {
            throw invalid(describe(uniqueKey, row) + "is not under " + row.keyField() + " \""
                    + row.fields().get(row.keyField())
                    + "\"; give the document's own, send the whole document, or delete"
                    + " by id alone, with " + home.meta().port() + ".delete-id@1 on every actor");
        }
    }

    private static String describe(String uniqueKey, Document row) {
        return "document \"" + row.fields().get(uniqueKey) + "\" ";
    }
}
