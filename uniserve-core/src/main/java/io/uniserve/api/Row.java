package io.uniserve.api;

import io.uniserve.model.PartitionKey;

/** A row of a table (the papers' record). Its key picks the actor. */
public interface Row {
    PartitionKey partitionKey();
}
