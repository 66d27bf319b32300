"""A planned HBase under YCSB: plan and suite become servers, a table and what is asked of it."""
