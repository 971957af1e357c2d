/**
 * SQL planner for ports whose engine is a SQL database. A query is parsed, checked and split into partial statements for the actors and a
 * merge statement for their answers.
 */
@NullMarked
package io.uniserve.sql;

import org.jspecify.annotations.NullMarked;
