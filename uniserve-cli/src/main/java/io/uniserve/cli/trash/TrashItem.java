package io.uniserve.cli.trash;

import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;

/** Entry of a server's trash. */
record TrashItem(ServerId server, TrashEntry entry) {}
